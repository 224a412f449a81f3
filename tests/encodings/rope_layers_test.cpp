// RoPE with settings per layer, as in pasted Hugging Face blocks. Public faults are named by their numbers there.
#include "tests/encodings/support.h"

namespace lw::encoding_test {
namespace {

using Catch::Matchers::ContainsSubstring;

ModelShape shape_of(int64_t layers, int64_t head_width = 256, int64_t train_length = 4096) {
  ModelShape shape = small_shape();
  shape.layers = layers;
  shape.heads = 1;
  shape.width = shape.head_width = head_width;
  shape.train_length = train_length;
  return shape;
}

const std::string kGemmaLayers =
    "layer_types: [sliding_attention, sliding_attention, sliding_attention, sliding_attention, sliding_attention, "
    "full_attention]\n";

/// Whether a layer turns a query as these frequencies say, at a position that tells them apart.
bool rotations_by(PositionEncoding& encoding, int64_t layer, const std::vector<double>& inv_freq) {
  const auto pairs = int64_t(inv_freq.size());
  const auto q = at::cat({at::ones({pairs}), at::zeros({pairs})}).to(at::kDouble).view({1, 1, 1, -1});
  const auto got = encoding.rotate_query(q, {positions(1, 37), positions(1, 37), layer, nullptr}).flatten();
  const auto angle = 37 * at::tensor(inv_freq, at::kDouble);
  return largest_gap(got, at::cat({angle.cos(), angle.sin()})) < 1e-9;  // 37 times 12 digits
}

bool leaves_alone(PositionEncoding& encoding, int64_t layer) {
  const auto x = draw({1, 1, 1, 256}, "x");
  const Site at{positions(1, 37), positions(1, 37), layer, nullptr};
  return at::equal(encoding.rotate_query(x, at), x) && at::equal(encoding.rotate_key(x, at), x);
}

std::vector<double> preset(const std::string& name) {
  for (const auto& [key, value] : goldens()["presets"].items())
    if (key.rfind(name, 0) == 0) return numbers_of(value["inv_freq"]);
  FAIL("no preset " << name);
  return {};
}

std::string error_of(const std::string& yaml, int64_t layers = 6) {
  return config_error("scheme: rope\n" + yaml, shape_of(layers));
}

}  // namespace

// vllm 29111, ferrox 39: sliding layers got the global scaling. mlx-vlm 1709, mlxcel 1340: full layers got none.
TEST_CASE("Gemma 3: sliding layers unscaled, full layers scaled, flat or per type", "[encodings][fault][golden]") {
  const std::string flat =
      "rope_theta: 1000000\nrope_local_base_freq: 10000\nscaling: {rope_type: linear, factor: 8}\n";
  const std::string nested =
      "scaling:\n  full_attention: {rope_type: linear, factor: 8.0, rope_theta: 1000000.0}\n"
      "  sliding_attention: {rope_type: default, rope_theta: 10000.0}\n";
  const std::string flat_with_theta_inside =
      "rope_local_base_freq: 10000\nscaling: {rope_type: linear, factor: 8, rope_theta: 1000000}\n";
  for (const auto& options : {flat, nested, flat_with_theta_inside}) {
    INFO(options);
    const auto encoding = build("scheme: rope\n" + kGemmaLayers + options, shape_of(12));
    const auto local = preset("gemma3 local"), global = preset("gemma3 global");
    for (int64_t layer = 0; layer < 12; ++layer)
      CHECK(rotations_by(*encoding, layer, (layer + 1) % 6 == 0 ? global : local));
    CHECK(worst_relative(fact_numbers(*encoding, "sliding_attention.inv_freq"), local) < kGoldenDigits);
    CHECK(worst_relative(fact_numbers(*encoding, "full_attention.inv_freq"), global) < kGoldenDigits);
    CHECK(fact_numbers(*encoding, "full_attention.inv_freq")[0] == 0.125);
    CHECK(fact_numbers(*encoding, "full_attention.layers") == std::vector<double>{5, 11});
    CHECK(encoding->key_cache() == KeyCache::kRotated);
  }
}

TEST_CASE("without a local base sliding layers have the base of the others, unscaled", "[encodings]") {
  const auto encoding = build(
      "scheme: rope\nlayer_types: [sliding_attention, full_attention]\nrope_theta: 500\n"
      "scaling: {rope_type: linear, factor: 8}\n",
      shape_of(2));
  CHECK(fact_number(*encoding, "sliding_attention.rope_theta") == 500);
  CHECK(fact_numbers(*encoding, "sliding_attention.inv_freq")[0] == 1);
  CHECK(fact_numbers(*encoding, "full_attention.inv_freq")[0] == 0.125);
}

// transformers 45887: a validator looked for the type beside the layer types. Its 5.16: truncate was looked for there.
TEST_CASE("YaRN nested under a layer type is accepted, and its truncate is obeyed", "[encodings][fault][golden]") {
  const auto at = [](const std::string& truncate) {
    return fact_numbers(
        *build("scheme: rope\nlayer_types: [full_attention]\nscaling: {full_attention: {rope_type: yarn, factor: 4.0, "
               "rope_theta: 10000.0, original_max_position_embeddings: 4096" +
                   truncate + "}}\n",
               shape_of(2, 64)),
        "full_attention.inv_freq");
  };
  const Json& golden = goldens()["yarn_options"];
  const auto want = [&](const std::string& key) { return numbers_of(golden[key + "|d=64|b=10000|o=4096|f=4"]); };
  CHECK(worst_relative(at(", truncate: false"), want("truncate=false")) < kGoldenDigits);
  CHECK(worst_relative(at(", truncate: true"), want("truncate=true")) < kGoldenDigits);
  CHECK(at("") == at(", truncate: true"));
  CHECK(worst_relative(at(", truncate: false"), at("")) > 0.08);  // the fault: 9.1 % off
}

// TensorRT-LLM 3382: RoPE in layers meant to have none.
TEST_CASE("every N-th layer, counted from 1, has no position", "[encodings][fault]") {
  const auto encoding = build("scheme: rope\nno_rope_layer_interval: 4\n", shape_of(8));
  const auto plain = build("scheme: rope\n", shape_of(8));
  for (int64_t layer = 0; layer < 8; ++layer) CHECK(leaves_alone(*encoding, layer) == (layer == 3 || layer == 7));
  CHECK(fact_numbers(*encoding, "none.layers") == std::vector<double>{3, 7});
  CHECK(fact_numbers(*encoding, "rope.inv_freq") == fact_numbers(*plain, "inv_freq"));
  // Llama 4: chunked layers turn, full ones do not; a flat scaling is for all that turn.
  const auto llama4 = build(
      "scheme: rope\nlayer_types: [chunked_attention, chunked_attention, chunked_attention, full_attention]\n"
      "no_rope_layer_interval: 4\nscaling: {rope_type: linear, factor: 8}\n",
      shape_of(8));
  CHECK(leaves_alone(*llama4, 3));
  CHECK(fact_numbers(*llama4, "chunked_attention.inv_freq")[0] == 0.125);
}

TEST_CASE("a dynamic method in one layer type forbids a cache for the model", "[encodings]") {
  const auto encoding = build(
      "scheme: rope\nlayer_types: [sliding_attention, full_attention]\nscaling: {rope_type: dynamic, factor: 2}\n",
      shape_of(2));
  CHECK(encoding->key_cache() == KeyCache::kNone);
}

TEST_CASE("per-layer settings that cannot be are refused with their place", "[encodings]") {
  const std::string two = "layer_types: [sliding_attention, full_attention]\n";
  CHECK(error_of("layer_types: [sliding_atention]\n") ==
        "position.yaml:2:14: layer_types: found 'sliding_atention'; allowed: full_attention, sliding_attention, "
        "chunked_attention; did you mean 'sliding_attention'?");
  CHECK_THAT(error_of("layer_types: [full_attention, full_attention, full_attention, full_attention]\n"),
             ContainsSubstring("layer_types: found 4 words for 6 layers; allowed: as many"));
  CHECK_THAT(error_of("scaling: {full_attention: {rope_type: linear, factor: 2}}\n"),
             ContainsSubstring("scaling.full_attention: found a scaling for one type of layer, and no layer_types"));
  CHECK_THAT(error_of(two + "scaling: {full_attention: {rope_type: linear, factor: 2}}\n"),
             ContainsSubstring("scaling.sliding_attention: found nothing; allowed: a scaling for each of layer_types"));
  CHECK_THAT(error_of("layer_types: [full_attention]\nscaling: {full_attention: {}, sliding_attention: {}}\n"),
             ContainsSubstring("scaling.sliding_attention: found a scaling for a type that no layer has"));
  CHECK_THAT(error_of(two + "scaling: {factor: 2, full_attention: {}, sliding_attention: {}}\n"),
             ContainsSubstring("position.yaml:3:11: scaling.factor: found an unknown key"));
  CHECK_THAT(error_of(two + "scaling: {full_attention: {rope_type: linear, factor: 0.5}, sliding_attention: {}}\n"),
             ContainsSubstring("position.yaml:3:55: scaling.full_attention.factor: found '0.5'; allowed: a number, 1"));
  CHECK_THAT(error_of(two + "rope_theta: 5\nscaling: {full_attention: {rope_theta: 6}, sliding_attention: "
                            "{rope_theta: 7}}\n"),
             ContainsSubstring("rope_theta: found a value beside one under each layer type"));
  CHECK_THAT(error_of("rope_local_base_freq: 10000\n"),
             ContainsSubstring("rope_local_base_freq: found a base for no layer; allowed: with sliding_attention"));
  CHECK_THAT(error_of("layer_types: [sliding_attention]\nscaling: {rope_type: linear, factor: 8}\n"),
             ContainsSubstring("scaling: found a flat scaling, and no layer that it applies to"));
  CHECK_THAT(error_of(two + "scaling: {rope_type: linear, factor: 2, partial_rotary_factor: 0.5}\n"),
             ContainsSubstring("scaling: found partial_rotary_factor, and layers that are not scaled"));
  CHECK_THAT(error_of("no_rope_layer_interval: 7\n"),
             ContainsSubstring("no_rope_layer_interval: found 7 with 6 layers; allowed: at most the number of layers"));
  CHECK_THAT(error_of("no_rope_layer_interval: 1\n"), ContainsSubstring("no_rope_layer_interval: found '1'"));
}

TEST_CASE("a base above the blocks serves those that have none", "[encodings]") {
  const auto encoding = build(
      "scheme: rope\nrope_theta: 700\nlayer_types: [sliding_attention, full_attention]\n"
      "scaling: {full_attention: {rope_theta: 900}, sliding_attention: {rope_type: linear, factor: 2}}\n",
      shape_of(2));
  CHECK(fact_number(*encoding, "full_attention.rope_theta") == 900);
  CHECK(fact_number(*encoding, "sliding_attention.rope_theta") == 700);
}

}  // namespace lw::encoding_test
