// LongRoPE in its forms: two lists, a list that sets in with the length, and a free list.
#include "tests/encodings/rope_support.h"

namespace lw::encoding_test {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string longrope(const std::string& more, int64_t pairs = 32) {
  return "rope_type: longrope, short_factor: " + factor_list(pairs, 0.01) +
         ", long_factor: " + factor_list(pairs, 0.5) + ", " + more;
}

}  // namespace

TEST_CASE("LongRoPE's attention factor follows factor and original length", "[encodings][golden]") {
  const Json& want = goldens()["attention_factor"];
  const auto factor_of = [&](const std::string& options, int64_t length) {
    return fact_number(*rope_with(longrope(options)), "attention_factor", length);
  };
  int checked = 0;
  for (const auto& [key, value] : want["longrope_by_factor_and_original"].items()) {
    INFO(key);
    auto fields = golden_fields("longrope|" + key);
    const int64_t original = std::stoll(fields["o"]);
    for (const int64_t length : {int64_t(1), original, original + 1, 4 * original})
      CHECK(
          golden_gap(factor_of("factor: " + fields["f"] + ", original_max_position_embeddings: " + fields["o"], length),
                     value.get<double>()) <= 1);
    ++checked;
  }
  CHECK(checked == 15);
  CHECK(golden_gap(factor_of("max_position_embeddings: 131072, original_max_position_embeddings: 4096", 1),
                   want["longrope_factor_absent_max131072_orig4096"].get<double>()) <= 1);
  CHECK(golden_gap(factor_of("factor: 4, attention_factor: 1.5", 1),
                   want["longrope_explicit_attention_factor_1.5"].get<double>()) <= 1);
}

TEST_CASE("vLLM's mscales set LongRoPE's attention factor on each side", "[encodings]") {
  const auto rope = rope_with(longrope("factor: 4, short_mscale: 1.1, long_mscale: 1.3"));
  CHECK(fact_number(*rope, "attention_factor", 2048) == 1.1);
  CHECK(fact_number(*rope, "attention_factor", 2049) == 1.3);
  const auto one = rope_with(longrope("factor: 4, long_mscale: 1.3"));  // the other side's is derived
  CHECK(fact_number(*one, "attention_factor", 1) == Catch::Approx(std::sqrt(1 + std::log(4) / std::log(2048))));
  CHECK(fact_number(*one, "attention_factor", 2049) == 1.3);
  CHECK_THAT(config_error(rope_yaml(longrope("factor: 4, attention_factor: 1, long_mscale: 1.3", 4))),
             ContainsSubstring("scaling.long_mscale: found beside attention_factor; allowed: one of the two"));
}

// mlc-llm 3375: only one list was passed.
TEST_CASE("LongRoPE switches lists just past the original length", "[encodings][fault][golden]") {
  const Json& trace =
      goldens()["state_traces"]["longrope d=64 b=10000 factor=4 orig=2048 max=8192 short=1+0.01i long=1+0.5i"];
  const auto rope = rope_with(longrope("factor: 4"));
  for (const Json& row : trace) {
    INFO(row.dump());
    const auto length = row[0].get<int64_t>();
    const auto w = fact_numbers(*rope, "inv_freq", length);
    CHECK(worst_relative({w[1], w[31]}, {row[1].get<double>(), row[2].get<double>()}) < 4.2e-7);  // the peer's float32
    CHECK(fact_number(*rope, "attention_factor", length) == Catch::Approx(row[3].get<double>()).epsilon(1e-8));
    CHECK(fact_number(*rope, "long_factor_in_use", length) == (length > 2048 ? 1 : 0));
  }
  CHECK(trace.size() == 6);
  for (const std::string list : {"short_factor", "long_factor"}) {
    const std::string yaml = rope_yaml(block_without("longrope", list));
    CHECK_THAT(config_error(yaml), ContainsSubstring("scaling." + list +
                                                     ": found nothing; allowed: 4 numbers above 0, one for each pair "
                                                     "of a rotary width of 8"));
  }
}

TEST_CASE("lists of factors must fit the rotary width", "[encodings]") {
  const std::vector<std::pair<std::string, std::string>> lists = {{"longrope", "short_factor"},
                                                                  {"longrope", "long_factor"},
                                                                  {"dynamic_longrope", "long_factor"},
                                                                  {"factors", "factors"}};
  for (const auto& [type, list] : lists) {
    const auto error = [&, &type = type, &list = list](const std::string& value) {
      const std::string yaml = rope_yaml(block_without(type, list) + (value.empty() ? "" : ", " + list + ": " + value));
      std::string text = config_error(yaml);
      if (!text.empty()) CHECK(text.rfind("position.yaml:2:", 0) == 0);
      return text;
    };
    INFO(type << " " << list);
    const std::string found = "scaling." + list + ": found ";
    CHECK_THAT(error(""), ContainsSubstring(found + "nothing; allowed: 4 numbers above 0"));
    CHECK_THAT(error("[1, 2, 3]"), ContainsSubstring(found + "3 numbers; allowed: 4 numbers above 0"));
    CHECK_THAT(error("[1, 2, 3, 4, 5]"), ContainsSubstring(found + "5 numbers; allowed: 4 numbers above 0"));
    CHECK_THAT(error("[1, 2, 0, 4]"),
               ContainsSubstring(found + "'0' in the list; allowed: a list, each entry a number above 0"));
    CHECK_THAT(error("[1, 2, -3, 4]"), ContainsSubstring(found + "'-3' in the list"));
    CHECK_THAT(error("[1, 2, .nan, 4]"), ContainsSubstring(found + "'.nan' in the list"));
    CHECK_THAT(error("[1, 2, \"3\", 4]"), ContainsSubstring(found + "the text \"3\" in the list"));
    CHECK_THAT(error("4"), ContainsSubstring(found + "'4'; allowed: a list"));
    CHECK(error("[1, 2, 3, 4]").empty());
  }
  CHECK_THAT(
      config_error(rope_yaml(scaling_block("factors"), "partial_rotary_factor: 0.5\n")),
      ContainsSubstring("found 4 numbers; allowed: 2 numbers above 0, one for each pair of a rotary width of 4"));
}

TEST_CASE("LongRoPE's original length needs a logarithm above 0", "[encodings]") {
  for (const std::string type : {"longrope", "dynamic_longrope"})
    CHECK_THAT(config_error(rope_yaml(scaling_block(type) + ", original_max_position_embeddings: 1")),
               ContainsSubstring("scaling.original_max_position_embeddings: found 1; allowed: 2 or more"));
}

TEST_CASE("dynamic LongRoPE equals the authors' class", "[encodings][golden]") {
  const Json& want = goldens()["longrope_dynamic|d=64|b=10000|long_i=1+0.5i|max=16384|o=4096|seq=8192"];
  const auto block = [](const std::string& more) {
    return "rope_type: dynamic_longrope, original_max_position_embeddings: 4096, long_factor: " + factor_list(32, 0.5) +
           more;
  };
  for (const std::string reach : {", max_position_embeddings: 16384", ", factor: 4"})
    CHECK(golden_gap(frequencies(block(reach), 64, "10000", 8192), numbers_of(want)) <= 1);

  const auto rope = rope_with(block(", factor: 4"));
  CHECK(fact_numbers(*rope, "inv_freq", 4096) == frequencies("rope_type: default"));
  CHECK(fact_number(*rope, "attention_factor", 4096) == 1);
  // At the longest length: the list itself, and LongRoPE's attention factor for 4 times the original length.
  const auto full = frequencies("rope_type: factors, factors: " + factor_list(32, 0.5));
  CHECK(worst_relative(fact_numbers(*rope, "inv_freq", 16384), full) < 1e-15);
  CHECK(golden_gap(fact_number(*rope, "attention_factor", 16384),
                   goldens()["attention_factor"]["longrope_by_factor_and_original"]["f=4|o=4096"].get<double>()) <= 1);
  CHECK(fact_number(*rope_with(block(", factor: 4, attention_factor: 1.2")), "attention_factor", 1) == 1.2);
  CHECK_THAT(
      config_error(rope_yaml(block_without("dynamic_longrope", "factor") + ", factor: 1")),
      ContainsSubstring("scaling.factor: found a longest length that is the original one; allowed: a longer one"));
}

TEST_CASE("a free list of factors reproduces every other method", "[encodings]") {
  const auto plain = frequencies("rope_type: default");
  int reproduced = 0;
  for (const auto& type : types_with()) {
    if (type == "proportional") continue;  // its factors would be infinite
    INFO(type);
    const auto want = rope_with(scaling_block(type, 32));
    const auto w = fact_numbers(*want, "inv_freq", 5000);
    std::string list;
    for (size_t i = 0; i < w.size(); ++i) list += (i == 0 ? "" : ", ") + format_number(plain[i] / w[i]);
    const auto got = rope_with("rope_type: factors, factors: [" + list +
                               "], attention_factor: " + format_number(fact_number(*want, "attention_factor", 5000)));
    CHECK(worst_relative(fact_numbers(*got, "inv_freq"), w) < 1e-15);
    CHECK(fact_number(*got, "attention_factor") == fact_number(*want, "attention_factor", 5000));
    CHECK(got->key_cache() == KeyCache::kRotated);
    ++reproduced;
  }
  CHECK(reproduced == int(rope_scalings().size()) - 1);
  CHECK(fact_number(*rope_with(scaling_block("factors", 32)), "attention_factor") == 1);
}

}  // namespace lw::encoding_test
