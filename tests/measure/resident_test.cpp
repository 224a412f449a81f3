// What the system has to give while attention runs, gaps between tensors included.
#include "harness/base/memory.h"
#include "harness/measure/attention_cost.h"
#include "harness/model/attention.h"
#include "tests/model/support.h"

namespace lw::model_test {
namespace {

ModelConfig resident_config() {
  ModelConfig c = small_config();
  c.heads = c.kv_heads = 4;
  return c;
}

/// Megabytes that the process grew by over one layer, queries in tiles as they are evaluated.
double resident_megabytes(const std::string& position, int64_t length) {
  const ModelConfig c = resident_config();
  const auto encoding = encoding_of(position, c);
  Rng rng(3);
  encoding->reset_parameters(rng);
  const AttentionLoad load(c.shape(16), length, evaluation_tile(1, c.heads, length), true);
  const auto bytes = resident_peak_of([&] { load.forward(*encoding); });
  REQUIRE(bytes);
  return double(*bytes) / (1 << 20);
}

bool reaches(const std::string& position, int64_t length) {
  return encoding_of(position, resident_config())->max_positions().value_or(length) >= length;
}

}  // namespace

TEST_CASE("what a process grew by is measured", "[memory]") {
  keep_freed_memory();
  const auto bytes = resident_peak_of([] { at::ones({4 << 20}); });
  REQUIRE(bytes);
  CHECK(*bytes >= 16 << 20);
  CHECK(*bytes < 24 << 20);
  CHECK(*resident_peak_of([] {}) < 4 << 20);
}

TEST_CASE("memory grows with the length and not with its square, under every scheme", "[memory][slow]") {
  keep_freed_memory();
  for (const auto& setting : encoding_test::all_settings()) {
    const std::string position = setting.for_length(2048);
    if (!reaches(position, 2048)) continue;
    INFO(position);
    const double shorter = resident_megabytes(position, 512), longer = resident_megabytes(position, 2048);
    INFO(shorter << " MB at 512 tokens, " << longer << " at 2048");
    CHECK(longer < 4 * 1.25 * shorter + 8);
  }
}

TEST_CASE("long sequences in tiles take linear memory", "[memory]") {
  keep_freed_memory();
  const double shorter = resident_megabytes("scheme: alibi", 2048), longer = resident_megabytes("scheme: alibi", 8192);
  INFO(shorter << " MB at 2048 tokens, " << longer << " at 8192");
  CHECK(longer < 4 * 1.25 * shorter + 8);
}

}  // namespace lw::model_test
