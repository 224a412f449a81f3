#include "harness/inspect/scheme_options.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "encodings/registry.h"
#include "harness/inspect/scheme_list.h"
#include "harness/measure/cost.h"
#include "tests/catch_torch.h"

namespace lw {
namespace {

const EncodingInfo& encoding_named(const std::string& name) {
  for (const auto* info : encodings())
    if (info->name == name) return *info;
  FAIL("no encoding is called " << name);
  return *encodings().front();
}

const RopeScalingInfo& scaling_named(const std::string& name) {
  for (const auto* info : rope_scalings())
    if (info->name == name) return *info;
  FAIL("no scaling is called " << name);
  return *rope_scalings().front();
}

const SchemeOption& option_of(const std::vector<SchemeOption>& options, const std::string& name) {
  const auto found = std::find_if(options.begin(), options.end(), [&](const auto& o) { return o.name == name; });
  if (found == options.end()) FAIL("no option is called " << name);
  return *found;
}

ModelShape bench_shape() {
  ModelShape shape;
  shape.heads = 2;
  shape.head_width = 16;
  shape.width = 32;
  shape.layers = 1;
  shape.train_length = 64;
  return shape;
}

PositionSetting setting(const std::string& yaml) {
  return PositionSetting::parse(parse_yaml(yaml, "test"), bench_shape());
}

}  // namespace

TEST_CASE("options are described by the code that reads them", "[list]") {
  const auto t5 = options_of(encoding_named("t5"));
  CHECK(option_of(t5, "num_buckets").fallback == "32");
  CHECK(option_of(t5, "num_buckets").allowed == "whole number, 2 to 1048576");
  CHECK_FALSE(option_of(t5, "num_buckets").required);
  CHECK(option_of(options_of(encoding_named("shaw")), "values").allowed == "true or false");
  CHECK(option_of(options_of(encoding_named("learned")), "positions").fallback == "the training length");
  const auto rope = options_of(encoding_named("rope"));
  CHECK(option_of(rope, "layout").allowed == "one of half, interleaved");
  CHECK(option_of(rope, "rope_theta").allowed == "number, above 1");
  // Scaling is a registry of its own, so its options are not repeated under rope.
  CHECK(std::none_of(rope.begin(), rope.end(), [](const auto& o) { return o.name.rfind("scaling.", 0) == 0; }));
  const auto yarn = options_of(scaling_named("yarn"));
  CHECK_FALSE(option_of(yarn, "factor").required);  // it may come from max_position_embeddings
  CHECK(option_of(options_of(scaling_named("linear")), "factor").required);
  CHECK(option_of(yarn, "original_max_position_embeddings").fallback == "the training length");
  CHECK(option_of(yarn, "attention_factor").fallback.empty());
}

TEST_CASE("every scheme and scaling has a setting that can be built and a line in the list", "[list]") {
  for (const auto* info : encodings()) {
    const PlainSetting plain = plain_setting(*info, described_shape());
    INFO(plain.name << ": " << plain.missing);
    CHECK(plain.missing.empty());
  }
  for (const auto* info : rope_scalings()) {
    const PlainSetting plain = plain_setting(*info, described_shape());
    INFO(plain.name << ": " << plain.missing);
    CHECK(plain.missing.empty());
  }
}

TEST_CASE("the list says what was measured", "[list][slow]") {
  const auto all = encodings_json();
  REQUIRE(all.size() == encodings().size());
  for (const auto& entry : all) {
    INFO(entry.dump());
    for (const char* key : {"name", "summary", "source", "golden", "options", "applies_to", "learned",
                            "shift_invariant", "cache", "max_positions", "models"})
      CHECK(entry.contains(key));
    if (entry["name"] == "shaw") CHECK(entry["applies_to"] == nlohmann::ordered_json({"logits", "value"}));
    if (entry["name"] == "learned") CHECK(entry["max_positions"].is_number());
  }
  for (const auto& entry : scalings_json()) {
    if (entry["name"] == "dynamic") CHECK(entry["cache"] == "none");
    if (entry["name"] == "linear") CHECK(entry["cache"] == "rotated");
  }
}

TEST_CASE("costs are taken beside none, at every length that a scheme reaches", "[bench]") {
  const std::vector<CostSetting> settings = {{"alibi", setting("scheme: alibi")},
                                             {"short", setting("{scheme: learned, positions: 128}")}};
  const CostOptions options{{128, 512, 1024}, 0, 2, true};
  int64_t steps = 0;
  const auto costs = measure_costs(settings, bench_shape(), options, [&] { ++steps; });
  CHECK(steps == cost_steps(settings.size(), options));
  REQUIRE(costs.size() == 3);
  CHECK(costs[0].name == "none");
  CHECK(costs[0].at.size() == 3);
  CHECK(costs[1].at.size() == 3);
  CHECK(costs[2].at.size() == 1);  // positions end at 128
  CHECK_FALSE(costs[2].memory_exponent);
  CHECK(costs[2].parameter_bytes == 128 * 32 * 4);
  for (const auto& cost : costs) {
    CHECK(cost.training);
    for (const auto& at : cost.at) {
      CHECK(at.seconds > 0);
      CHECK(at.peak_bytes >= at.length * at.length * 2 * 4);  // the logits of two heads
      CHECK(at.memory_ratio >= 1);
    }
  }
  // All logits at once: memory is quadratic, and is the same number each time.
  CHECK(*costs[0].memory_exponent == Catch::Approx(2).margin(0.15));
  const auto again = measure_costs({settings[0]}, bench_shape(), {{128, 512, 1024}, 0, 1, false}, [] {});
  CHECK(again[1].at[2].peak_bytes == costs[1].at[2].peak_bytes);
  const auto tiled = measure_costs({settings[0]}, bench_shape(), {{512, 1024, 2048}, 32, 1, false}, [] {});
  CHECK(*tiled[1].memory_exponent == Catch::Approx(1).margin(0.2));
}

}  // namespace lw
