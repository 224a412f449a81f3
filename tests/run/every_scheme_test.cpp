// Every position setting with every suite, decoder and encoder: built, trained for a few steps, saved, loaded,
// evaluated inside and beyond the training length.
#include <cmath>
#include <filesystem>
#include <set>

#include "harness/base/config.h"
#include "harness/run/evaluate_stage.h"
#include "harness/run/train_stage.h"
#include "suites/suite.h"
#include "tests/catch_torch.h"
#include "tests/encodings/settings.h"

namespace lw::app_test {
namespace {

constexpr int64_t kProbes = 4;

/// @param position the lines of a `position:` block.
Experiment experiment(const std::string& position, bool causal) {
  std::string config = "name: every\nseeds: [0]\nmodel: {kind: ";
  config += causal ? "decoder" : "encoder";
  config +=
      ", layers: 2, heads: 4, width: 32, ffn: 32}\n"
      "train: {models: joint, length: {min: 8, max: 24}, batch: 4, steps: 4, warmup: 1}\n"
      "eval: {lengths: [24, 40], probes: " +
      std::to_string(kProbes) + "}\nsuites:\n";
  ConfigNode any = ConfigNode::describing();
  for (const auto* suite : suites()) {
    const auto made = suite->make(any);
    if (made->needs_text()) continue;  // models that are trained here read none
    if (causal || !made->causal_only()) config += "  " + std::string(suite->name) + ": {}\n";
  }
  Tree tree = parse_yaml(config, "every.yaml");
  tree.set("position", parse_yaml(position, "position.yaml"));
  return read_experiment(tree);
}

void check(const encoding_test::Setting& setting, bool causal, const std::filesystem::path& folder) {
  INFO((causal ? "decoder " : "encoder ") << setting.name);
  const Experiment e = experiment(setting.for_length(64), causal);
  const Work work = plan_work(e, 0);
  const Store store(folder);
  const auto trained = train_all(work, store, {});
  for (const auto& training : trained)
    for (const auto& point : training.loss) CHECK(std::isfinite(point.loss));
  const auto records = evaluate_all(work, work.evals, store, {}, "evaluating");
  size_t scored = 0;
  for (const auto& job : records)
    for (const auto& record : job) {
      INFO(record.suite << " at " << record.length);
      CHECK(record.status == Status::kScored);
      if (record.nll) CHECK(std::isfinite(*record.nll));
      ++scored;
    }
  CHECK(scored == e.variants[0].suites.size() * 2 * size_t(kProbes));
}

}  // namespace

TEST_CASE("every position setting trains and is evaluated with every suite", "[app][slow]") {
  const auto folder = std::filesystem::temp_directory_path() / "lw_every_scheme";
  for (const auto& setting : encoding_test::all_settings()) {
    std::filesystem::remove_all(folder);
    check(setting, true, folder);
    if (setting.works_on_encoders()) check(setting, false, folder);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace lw::app_test
