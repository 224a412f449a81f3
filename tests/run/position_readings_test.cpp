// A position section is text once: when the config is read.
#include "encodings/registry.h"
#include "harness/base/files.h"
#include "harness/base/log.h"
#include "harness/run/run.h"
#include "tests/catch_torch.h"
#include "tests/support.h"

namespace lw::app_test {
namespace {

const std::string kConfig = R"(name: once
model: {layers: 1, width: 16, heads: 2}
train: {steps: 2, batch: 4, warmup: 1, length: {min: 8, max: 16}, gate: {accuracy: 0, probes: 4}}
eval: {lengths: [8, 32], probes: 4}
suites: {order_swap: {}}
)";

int64_t readings_of_run(const std::string& position) {
  const test::TempFolder folder;
  write_file(folder / "config.yaml", kConfig + "position: " + position + "\n");
  RunOptions options;
  options.config = (folder / "config.yaml").string();
  options.out = folder / "run";
  set_log_level(LogLevel::kQuiet);
  const int64_t before = encodings_read();
  CHECK(run_experiment(options) == 0);
  set_log_level(LogLevel::kNormal);
  return encodings_read() - before;
}

}  // namespace

TEST_CASE("a run of one variant, seed and suite reads its position section once", "[app]") {
  CHECK(readings_of_run("{scheme: rope}") == 1);
  CHECK(readings_of_run("{scheme: shaw}") == 1);
  // And once more what is left of it in training, where something is put on afterwards.
  CHECK(readings_of_run("{scheme: rope, scaling: {rope_type: linear, factor: 2}}") == 2);
}

}  // namespace lw::app_test
