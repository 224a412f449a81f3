// Public faults in other projects' position code, each with the input that showed it.
#include "tests/encodings/rope_support.h"

namespace lw::encoding_test {
// vllm 41236: the formula was fed factor times the length, so every length got one base.
TEST_CASE("dynamic NTK depends on the ratio of lengths", "[encodings][fault]") {
  const auto encoding = rope_with("rope_type: dynamic, factor: 2", 128);
  CHECK(fact_numbers(*encoding, "inv_freq", 2048)[63] == Catch::Approx(1.15478e-4).epsilon(1e-5));
  CHECK(fact_numbers(*encoding, "inv_freq", 8192)[63] == Catch::Approx(1.64969e-5).epsilon(1e-5));
}

// vllm 55910: a table sized without the factor was read past its end.
TEST_CASE("positions past factor times the original length have values, for every method", "[encodings][fault]") {
  for (const auto& type : types_with()) {
    INFO(type);
    const auto encoding = rope_with(scaling_block(type, 32));
    CHECK_FALSE(encoding->max_positions().has_value());
    const auto x = draw({1, 1, 1, 64}, "x");
    for (const int64_t position : {5000, 20000, 1'000'003}) {
      const auto y = encoding->rotate_query(x, {positions(1, position), positions(1, position), 0, nullptr});
      const double factor = fact_number(*encoding, "attention_factor", position + 1);
      CHECK(y.norm().item<double>() == Catch::Approx(factor * x.norm().item<double>()).epsilon(1e-12));
    }
  }
}

// mlx-lm 1507: an explicit attention_factor was ignored. llama.cpp 17945: the factor was applied twice.
TEST_CASE("an attention factor enters a logit exactly squared, for every method that has one", "[encodings][fault]") {
  const auto dot = [](const std::string& scaling) {
    const auto encoding = rope_with(scaling);
    const Site at{positions(1, 5), positions(1, 3), 0, nullptr};
    return (encoding->rotate_query(draw({1, 1, 1, 64}, "q"), at) * encoding->rotate_key(draw({1, 1, 1, 64}, "k"), at))
        .sum()
        .item<double>();
  };
  const std::string yarn = "rope_type: yarn, factor: 4, original_max_position_embeddings: 4096";
  CHECK(dot(yarn) / dot(yarn + ", attention_factor: 1.0") == Catch::Approx(1.296477).epsilon(1e-6));
  for (const auto& type : types_with("attention_factor")) {
    INFO(type);
    const std::string block = scaling_block(type, 32) + ", attention_factor: ";
    CHECK(fact_number(*rope_with(block + "1.0"), "attention_factor") == 1);
    CHECK(dot(block + "1.25") / dot(block + "1.0") == Catch::Approx(1.5625).epsilon(1e-12));
  }
}

// exllamav3 259, sglang 22711: what equal mscale and mscale_all_dim mean.
TEST_CASE("equal mscale and mscale_all_dim give an attention factor of 1", "[encodings][fault]") {
  CHECK(fact_number(*rope_with("rope_type: yarn, factor: 16, mscale: 1, mscale_all_dim: 1"), "attention_factor") == 1);
}

// NeMo 14686: GPT-OSS's original length set to its longest.
TEST_CASE("GPT-OSS's ramp comes from 4096 tokens", "[encodings][fault]") {
  const std::string block = "rope_type: yarn, factor: 32.0, beta_fast: 32.0, beta_slow: 1.0, truncate: false, ";
  const auto rope = [&](const std::string& original) {
    return rope_with(block + "original_max_position_embeddings: " + original, 64, 131072, "rope_theta: 150000\n");
  };
  const auto& want = goldens()["presets"]["gpt-oss yarn (d=64,b=150000,f=32 o=4096 truncate=false)"]["inv_freq"];
  CHECK(golden_gap(fact_numbers(*rope("4096"), "inv_freq"), numbers_of(want)) <= 1);
  CHECK(golden_gap(fact_numbers(*rope("131072"), "inv_freq"), numbers_of(want)) > 1e6);
}

// Megatron-LM 80: Llama 3's factor fixed at 8. shark-ai 1527: its scaling applied without being asked for.
TEST_CASE("Llama 3's scaling takes its own factor, and only where it is asked for", "[encodings][fault]") {
  const std::string theta = "rope_theta: 500000\n";
  const auto rope = [&](const std::string& factor) {
    return rope_with("rope_type: llama3, factor: " + factor + ", original_max_position_embeddings: 8192", 64, 8192,
                     theta);
  };
  const auto& want = goldens()["presets"]["llama-3.2 (d=64,b=500000,llama3 f=32 o=8192)"]["inv_freq"];
  CHECK(golden_gap(fact_numbers(*rope("32"), "inv_freq"), numbers_of(want)) <= 1);
  CHECK(golden_gap(fact_numbers(*rope("8"), "inv_freq"), numbers_of(want)) > 1e6);
  const auto& plain = goldens()["rope"]["default|d=64|b=500000|p=1.0"][0];
  CHECK(golden_gap(fact_numbers(*build("scheme: rope\n" + theta, rope_shape(64, 8192)), "inv_freq"),
                   numbers_of(plain)) <= 1);
}

// mlx-lm 1545: without a type positions were doubled, and the base changed for linear scaling too.
TEST_CASE("linear scaling leaves the base alone, and no type leaves everything alone", "[encodings][fault]") {
  const auto plain = frequencies("rope_type: default");
  CHECK(fact_numbers(*build("scheme: rope\n", rope_shape(64)), "inv_freq") == plain);
  CHECK(fact_number(*rope_with("rope_type: linear, factor: 6"), "rope_theta") == 10000);
  const auto slow = frequencies("rope_type: linear, factor: 6");
  for (size_t i = 0; i < plain.size(); ++i) CHECK(slow[i] == plain[i] / 6);
}

// ggml-org/llama.cpp 3090: Code Llama's base set by an automatic rule.
TEST_CASE("every method keeps the base that the config gives", "[encodings][fault]") {
  for (const auto& type : types_with())
    for (const double theta : {10000.0, 1e6})
      CHECK(fact_number(*rope_with(scaling_block(type, 32), 64, 2048, "rope_theta: " + format_number(theta) + "\n"),
                        "rope_theta") == theta);
}

// llama.cpp 3401: 10000 meant "use the model's value".
TEST_CASE("an explicit theta of 10000 is 10000", "[encodings][fault]") {
  const auto explicit_theta = rope_with("rope_type: default", 64, 2048, "rope_theta: 10000\n");
  CHECK(fact_number(*explicit_theta, "rope_theta") == 10000);
}

// transformers 48652, pie 603: frequencies over the whole head, or pairs across it.
TEST_CASE("partial rotary has the frequencies of its own width", "[encodings][fault]") {
  CHECK(fact_numbers(*rope_with("rope_type: default", 8, 2048, "partial_rotary_factor: 0.5\n"), "inv_freq") ==
        std::vector<double>{1, 0.01});
  const auto quarter =
      fact_numbers(*rope_with("rope_type: default", 64, 2048, "partial_rotary_factor: 0.25\n"), "inv_freq");
  CHECK(quarter.size() == 8);
  CHECK(quarter[1] == Catch::Approx(0.316228).epsilon(1e-6));
}

// exllama 101: positions ran on across the rows of a batch.
TEST_CASE("two rows at the same positions are turned alike", "[encodings][fault]") {
  const auto encoding = rope_with("rope_type: default");
  const auto x = draw({1, 1, 3, 64}, "x").expand({2, 1, 3, 64});
  for (const auto& pos : {positions(3), at::cat({positions(3), positions(3)})}) {
    const auto y = encoding->rotate_key(x, {pos, pos, 0, nullptr});
    CHECK(at::equal(y[0], y[1]));
    CHECK(at::equal(y[1][0][0], x[1][0][0]));  // the second row starts at position 0
  }
}

// transformers 22161: with left padding, positions were counted from the padding.
TEST_CASE("left-padded rows give the logits of unpadded ones", "[encodings][fault]") {
  const Stack stack;
  const auto x = draw({1, 5, 32}, "x");
  const auto padded = row_tensor({{0, 0, 0, 1, 2}});  // two pads, then positions 0, 1, 2
  for (const auto& setting : all_settings()) {
    INFO(setting.name);
    const auto encoding = build_drawn(setting.yaml);
    const auto real = stack.logits(*encoding, x, padded).slice(2, 2, 5).slice(3, 2, 5);
    CHECK(largest_gap(real, stack.logits(*encoding, x.narrow(1, 2, 3), positions(3))) < 1e-12);
  }
}

}  // namespace lw::encoding_test
