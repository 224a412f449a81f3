// How far a RoPE scaling reaches: its factor, the original length, and the longest one beside them.
#include <fstream>
#include <sstream>

#include "harness/base/log.h"
#include "tests/encodings/rope_support.h"
#include "tests/support.h"

namespace lw::encoding_test {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr auto kOriginal = "original_max_position_embeddings";
constexpr auto kMaxLength = "max_position_embeddings";

/// Methods that derive an absent factor from two lengths.
bool derives_factor(const std::string& type) {
  return scaling_options(type).count("factor") == 1 && scaling_options(type).count(kMaxLength) == 1;
}

}  // namespace

TEST_CASE("factors must be numbers of 1 or more, for every method that has one", "[encodings]") {
  const auto types = types_with("factor");
  CHECK(types == std::vector<std::string>{"by_parts_index", "by_parts_turns", "dynamic", "dynamic_longrope", "linear",
                                          "llama3", "longrope", "ntk_kexue", "part_ntk", "proportional", "yarn"});
  for (const auto& type : types) {
    INFO(type);
    const std::string block = block_without(type, "factor");
    const std::string missing = config_error(rope_yaml(block));
    if (type == "proportional") {
      CHECK(missing.empty());  // 1 when absent
    } else {
      CHECK_THAT(missing,
                 ContainsSubstring("position.yaml:2:10: scaling.factor: found nothing; allowed: a number, 1 or "
                                   "more") &&
                     ContainsSubstring(derives_factor(type) ? "to derive it from" : "1 or more"));
    }
    for (const std::string bad : {"0.5", "-2", "0", "true", ".nan", ".inf", "four"})
      check_refused(block + ", factor: " + bad, "factor", "'" + bad + "'; allowed: a number, 1 or more");
    check_refused(block + ", factor: \"4\"", "factor", "the text \"4\"; allowed: a number, 1 or more");
    check_refused(block + ", factor: [4]", "factor", "a list; allowed: a number, 1 or more");
    CHECK(config_error(rope_yaml(block + ", factor: 1.5")).empty());
    CHECK_THAT(
        config_error(rope_yaml(block + ", facotr: 4" + (type == "proportional" ? "" : ", factor: 4"))),
        ContainsSubstring("scaling.facotr: found an unknown key") && ContainsSubstring("did you mean 'factor'?"));
  }
  check_refused("rope_type: ntk, alpha: 0.5", "alpha", "'0.5'; allowed: a number, 1 or more");
  CHECK_THAT(config_error(rope_yaml("rope_type: ntk")), ContainsSubstring("scaling.alpha: found nothing"));
  check_refused("rope_type: ntk_kexue, factor: 2, mixed_b: 0", "mixed_b", "'0'; allowed: a number above 0");
}

// transformers 37134: whole numbers were refused as "not a float".
TEST_CASE("whole numbers mean the same as fractions, for every method", "[encodings][fault]") {
  for (const auto& type : types_with("factor")) {
    const std::string block = block_without(type, "factor", 32);
    for (const int64_t length : {1, 2048, 8192})
      CHECK(frequencies(block + ", factor: 40", 64, "10000", length) ==
            frequencies(block + ", factor: 40.0", 64, "10000", length));
  }
  CHECK(frequencies("rope_type: ntk, alpha: 8") == frequencies("rope_type: ntk, alpha: 8.0"));
  CHECK(frequencies("rope_type: yarn, factor: 4, beta_fast: 64, beta_slow: 2, mscale: 1, mscale_all_dim: 1") ==
        frequencies("rope_type: yarn, factor: 4, beta_fast: 64.0, beta_slow: 2.0, mscale: 1.0, mscale_all_dim: 1.0"));
  CHECK(frequencies("rope_type: llama3, factor: 8, low_freq_factor: 1, high_freq_factor: 4") ==
        frequencies("rope_type: llama3, factor: 8, low_freq_factor: 1.0, high_freq_factor: 4.0"));
  CHECK(frequencies("rope_type: by_parts_turns, factor: 8, alpha: 2, beta: 16") ==
        frequencies("rope_type: by_parts_turns, factor: 8, alpha: 2.0, beta: 16.0"));
  CHECK(frequencies("rope_type: factors, factors: [1, 2]", 4) ==
        frequencies("rope_type: factors, factors: [1.0, 2.0]", 4));
}

// Automodel 2652: a KeyError deep inside. Fast-LLM 145: the extended length taken for the original one.
TEST_CASE("the original length is the training length, or must be given, for every method", "[encodings][fault]") {
  const auto types = types_with(kOriginal);
  CHECK(types == std::vector<std::string>{"by_parts_index", "by_parts_turns", "dynamic", "dynamic_linear",
                                          "dynamic_longrope", "dynamic_part_ntk", "dynamic_yarn", "llama3", "longrope",
                                          "part_ntk", "yarn"});
  for (const auto& type : types) {
    INFO(type);
    CHECK_THAT(
        config_error(rope_yaml(scaling_block(type)), rope_shape(8, 0)),
        ContainsSubstring("position.yaml:2:10: scaling.original_max_position_embeddings: found nothing; allowed: "
                          "a whole number, 1 or more"));
    for (const std::string bad : {"0", "-1", "2048.5", "true", "4k"})
      check_refused(scaling_block(type) + ", " + kOriginal + ": " + bad, kOriginal,
                    "'" + bad + "'; allowed: a whole number, 1 or more");
    check_refused(scaling_block(type) + ", " + kOriginal + ": \"2048\"", kOriginal, "the text \"2048\"; allowed: ");
    CHECK(config_error(rope_yaml(scaling_block(type) + ", " + kOriginal + ": 4096"), rope_shape(8, 0)).empty());
    CHECK_THAT(config_error(rope_yaml(scaling_block(type) + ", orginal_max_position_embeddings: 4096")),
               ContainsSubstring("did you mean 'original_max_position_embeddings'?"));
  }
}

// Megatron-LM 1418, NeMo 14686: the model's longest length taken for the original one.
TEST_CASE("the original length is the one given, whatever the model's, for every method", "[encodings][fault]") {
  for (const auto& type : types_with(kOriginal)) {
    INFO(type);
    const std::string given = scaling_block(type, 32) + ", " + kOriginal + ": 4096";
    for (const int64_t length : {100, 4096, 4097, 16384}) {
      const auto want = frequencies(given, 64, "10000", length, 4096);
      for (const int64_t train_length : {0, 16, 8192, 131072})
        CHECK(frequencies(given, 64, "10000", length, train_length) == want);
      CHECK(frequencies(scaling_block(type, 32), 64, "10000", length, 4096) == want);
    }
    CHECK(frequencies(scaling_block(type, 32), 64, "10000", 6000, 4096) !=
          frequencies(scaling_block(type, 32), 64, "10000", 6000, 8192));
    CHECK(fact_number(*rope_with(given, 64, 16), kOriginal) == 4096);
  }
}

// vllm 56446: the longest length multiplied by the factor twice. transformers 5.16: a factor left out was a KeyError.
TEST_CASE("an absent factor is the ratio of the two lengths", "[encodings][fault]") {
  int derived = 0;
  for (const auto& type : types_with()) {
    if (!derives_factor(type)) continue;
    INFO(type);
    const std::string lengths = block_without(type, "factor", 32) + ", original_max_position_embeddings: 32768";
    const auto by_length = rope_with(lengths + ", max_position_embeddings: 1048576");
    const auto by_factor = rope_with(lengths + ", factor: 32"),
               both = rope_with(lengths + ", factor: 32, max_position_embeddings: 1048576");
    for (const auto& rope : {by_length, both}) {
      for (const int64_t length : {1, 32768, 32769, 1048576})
        CHECK(fact_numbers(*rope, "inv_freq", length) == fact_numbers(*by_factor, "inv_freq", length));
      CHECK(fact_number(*rope, "attention_factor", 40000) == fact_number(*by_factor, "attention_factor", 40000));
      CHECK(fact_number(*rope, "factor") == 32);
      CHECK(fact_number(*rope, kMaxLength) == 1048576);
      for (const auto& fact : rope->facts(1)) CHECK(fact.name != "length_ratio_without_effect");
    }
    const std::string small = block_without(type, "factor") + ", original_max_position_embeddings: 32768";
    check_refused(small + ", max_position_embeddings: 16384", kMaxLength,
                  "16384 with original_max_position_embeddings 32768; allowed: the original length or more");
    check_refused(small + ", max_position_embeddings: 0", kMaxLength, "'0'; allowed: a whole number, 1 or more");
    // Against the training length where no original length is given.
    CHECK(fact_number(*rope_with(block_without(type, "factor", 32) + ", max_position_embeddings: 8192"), "factor") ==
          4);
    ++derived;
  }
  CHECK(derived == 6);  // by_parts_index, by_parts_turns, dynamic_longrope, longrope, part_ntk, yarn
}

TEST_CASE("a factor that disagrees with the lengths counts, and the setting warns of it", "[encodings]") {
  const std::string disagreeing =
      "rope_type: yarn, factor: 8, original_max_position_embeddings: 3000, max_position_embeddings: 12000";
  const auto warnings = [](const std::string& scaling) {
    return PositionSetting::parse(parse_yaml(rope_yaml(scaling), "position.yaml"), rope_shape(64)).warnings();
  };
  const auto rope = rope_with(disagreeing);
  CHECK(fact_numbers(*rope, "inv_freq") ==
        frequencies("rope_type: yarn, factor: 8, original_max_position_embeddings: 3000"));
  CHECK(fact_number(*rope, "factor") == 8);
  CHECK(fact_number(*rope, "length_ratio_without_effect") == 4);
  CHECK(warnings(disagreeing) ==
        std::vector<std::string>{"scaling.factor: 8 is what counts, although max_position_embeddings is 12000 with "
                                 "original_max_position_embeddings 3000, a ratio of 4"});
  CHECK(warnings("rope_type: yarn, factor: 4, original_max_position_embeddings: 3000, max_position_embeddings: 12000")
            .empty());
}

}  // namespace lw::encoding_test
