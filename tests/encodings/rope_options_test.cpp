// RoPE options that cannot be, each refused with one clear error; and blocks pasted from a config.json.
#include "tests/encodings/support.h"

namespace lw::encoding_test {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string scaling_error(const std::string& scaling, int64_t train_length = 2048, int64_t head_width = 64) {
  ModelShape shape = small_shape();
  shape.head_width = head_width;
  shape.train_length = train_length;
  return config_error("scheme: rope\nscaling: {" + scaling + "}\n", shape);
}

}  // namespace

TEST_CASE("factors must be numbers of 1 or more", "[encodings]") {
  for (const std::string type : {"linear", "dynamic", "yarn"}) {
    INFO(type);
    CHECK_THAT(scaling_error("rope_type: " + type),
               ContainsSubstring("scaling.factor: found nothing; allowed: a number, 1 or more"));
    for (const std::string bad : {"0.5", "-2", "true", ".nan", ".inf", "\"4\"", "four"})
      CHECK_THAT(scaling_error("rope_type: " + type + ", factor: " + bad), ContainsSubstring("scaling.factor: found "));
    CHECK(scaling_error("rope_type: " + type + ", factor: 1").empty());
  }
  CHECK_THAT(scaling_error("rope_type: ntk"), ContainsSubstring("scaling.alpha: found nothing"));
  CHECK_THAT(scaling_error("rope_type: ntk, alpha: 0.5"), ContainsSubstring("scaling.alpha: found '0.5'"));
}

// Faults 12 and 61: a KeyError deep inside, or the extended length taken for the original one.
TEST_CASE("the original length is the training length, or must be given", "[encodings]") {
  for (const std::string type : {"dynamic", "yarn"}) {
    CHECK_THAT(scaling_error("rope_type: " + type + ", factor: 2", 0),
               ContainsSubstring(
                   "scaling.original_max_position_embeddings: found nothing; allowed: a whole number, 1 or more"));
    for (const std::string bad : {"0", "-1", "2048.5", "\"2048\""})
      CHECK_THAT(scaling_error("rope_type: " + type + ", factor: 2, original_max_position_embeddings: " + bad),
                 ContainsSubstring("scaling.original_max_position_embeddings: found "));
  }
}

TEST_CASE("a base must be a number above 1", "[encodings]") {
  for (const std::string bad : {"1", "0", "-10000", ".nan", ".inf", "\"10000\"", "true"})
    CHECK_THAT(config_error("scheme: rope\nrope_theta: " + bad + "\n"),
               ContainsSubstring("position.yaml:2:13: rope_theta: found "));
  CHECK(config_error("scheme: rope\nrope_theta: 1.5\n").empty());
}

TEST_CASE("the rotary width must be an even, positive part of the head", "[encodings]") {
  ModelShape shape = small_shape();
  const auto error = [&](int64_t head_width, const std::string& factor) {
    shape.head_width = head_width;
    return config_error("scheme: rope\npartial_rotary_factor: " + factor + "\n", shape);
  };
  CHECK_THAT(error(64, "0"),
             ContainsSubstring("partial_rotary_factor: found '0'; allowed: a number above 0 and up to 1"));
  CHECK_THAT(error(64, "1.5"), ContainsSubstring("partial_rotary_factor: found '1.5'"));
  CHECK_THAT(error(64, "0.3"),
             ContainsSubstring("found 0.3, which rotates 19 of 64 channels of a head; allowed: an even number"));
  CHECK_THAT(error(64, "0.01"), ContainsSubstring("which rotates 0 of 64"));
  CHECK_THAT(error(100, "0.29"), ContainsSubstring("which rotates 29 of 100"));  // 0.29 * 100 is 28.999999999999996
  CHECK(error(100, "0.58").empty());
  CHECK(error(80, "0.4").empty());
  shape.head_width = 7;
  CHECK_THAT(config_error("scheme: rope\n", shape),
             ContainsSubstring("partial_rotary_factor: found 1, which rotates 7 of 7"));
}

TEST_CASE("methods that change the base need two pairs", "[encodings]") {
  for (const std::string options : {"rope_type: dynamic, factor: 2", "rope_type: ntk, alpha: 2"}) {
    CHECK_THAT(scaling_error(options, 2048, 2), ContainsSubstring("scaling.rope_type: found ") &&
                                                    ContainsSubstring("rotary width of 2") &&
                                                    ContainsSubstring("4 or more"));
    CHECK(scaling_error(options, 2048, 4).empty());
  }
  CHECK(scaling_error("rope_type: yarn, factor: 2", 2048, 2).empty());
  CHECK(goldens()["errors"]["count"] == 32);  // what the peer raises as a division by zero
}

TEST_CASE("YaRN's ramp must run downwards in turns", "[encodings]") {
  CHECK_THAT(scaling_error("rope_type: yarn, factor: 2, beta_fast: 1"),
             ContainsSubstring("scaling.beta_fast: found 1 with beta_slow 1; allowed: beta_fast above beta_slow"));
  CHECK_THAT(scaling_error("rope_type: yarn, factor: 2, beta_slow: 40"),
             ContainsSubstring("found 32 with beta_slow 40"));
  CHECK_THAT(scaling_error("rope_type: yarn, factor: 2, beta_fast: -1"),
             ContainsSubstring("scaling.beta_fast: found '-1'"));
  CHECK(scaling_error("rope_type: yarn, factor: 2, beta_fast: null, mscale: null").empty());
}

TEST_CASE("attn_factor is not attention_factor", "[encodings]") {
  CHECK_THAT(scaling_error("rope_type: yarn, factor: 2, attn_factor: 1"),
             ContainsSubstring("scaling.attn_factor: found ") && ContainsSubstring("did you mean 'attention_factor'?"));
  CHECK_THAT(scaling_error("rope_type: linear, factor: 2, attn_factor: 1"), ContainsSubstring("unknown key"));
}

// Fault 17: a new type refused with a message about something else.
TEST_CASE("an unknown rope_type says which there are", "[encodings]") {
  const std::string error = scaling_error("rope_type: yrn, factor: 2");
  CHECK_THAT(error, ContainsSubstring("scaling.rope_type: found 'yrn'") && ContainsSubstring("did you mean 'yarn'?"));
  for (const auto* info : rope_scalings()) CHECK_THAT(error, ContainsSubstring(std::string(info->name)));
}

TEST_CASE("type is the old name of rope_type, and the two must agree", "[encodings]") {
  const auto name_of = [](const std::string& scaling) {
    for (const auto& fact : build("scheme: rope\nscaling: {" + scaling + "}\n")->facts(1))
      if (fact.name == "scaling") return fact.value;
    return std::string();
  };
  CHECK(name_of("type: linear, factor: 2") == "linear");
  CHECK(name_of("rope_type: linear, factor: 2") == "linear");
  CHECK(name_of("type: linear, rope_type: linear, factor: 2") == "linear");
  CHECK_THAT(scaling_error("type: yarn, rope_type: linear, factor: 2"),
             ContainsSubstring("scaling.type: found 'yarn' beside rope_type 'linear'; allowed: one name"));
}

// Fault 26: theta moved into the dict, and the old look-up silently gave 10000.
TEST_CASE("theta and the partial factor may stand in the pasted block", "[encodings]") {
  ModelShape shape = small_shape();
  shape.head_width = 128;
  const auto inside = build("scheme: rope\nscaling: {rope_type: default, rope_theta: 1000000.0}\n", shape);
  CHECK(fact_number(*inside, "rope_theta") == 1e6);
  CHECK(fact_numbers(*inside, "inv_freq")[1] == std::pow(1e6, -2.0 / 128));
  const auto partial = build("scheme: rope\nscaling: {rope_type: default, partial_rotary_factor: 0.25}\n", shape);
  CHECK(fact_number(*partial, "rotary_dim") == 32);
  CHECK(config_error("scheme: rope\nrope_theta: 1000000\nscaling: {rope_theta: 1e6}\n", shape).empty());
  CHECK_THAT(config_error("scheme: rope\nrope_theta: 10000\nscaling: {rope_theta: 1e6}\n", shape),
             ContainsSubstring("rope_theta: found 10000, and 1000000 under scaling; allowed: one value"));
}

TEST_CASE("no scaling block, an empty one and null are plain RoPE", "[encodings]") {
  const auto want = fact_numbers(*build("scheme: rope\n"), "inv_freq");
  for (const std::string scaling : {"{}", "null", "{rope_type: default}", "{rope_type: null}"})
    CHECK(fact_numbers(*build("scheme: rope\nscaling: " + scaling + "\n"), "inv_freq") == want);
  CHECK_THAT(scaling_error("factor: 2"), ContainsSubstring("scaling.factor: found an unknown key"));
}

TEST_CASE("layouts are half and interleaved", "[encodings]") {
  CHECK_THAT(config_error("scheme: rope\nlayout: neox\n"),
             ContainsSubstring("layout: found 'neox'; allowed: half, interleaved"));
}

}  // namespace lw::encoding_test
