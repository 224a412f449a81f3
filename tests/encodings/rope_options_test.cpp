// RoPE options that cannot be, each refused with one clear error; and blocks pasted from a config.json.
#include "tests/encodings/rope_support.h"

namespace lw::encoding_test {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string scaling_error(const std::string& scaling, int64_t train_length = 2048, int64_t head_width = 64) {
  return config_error(rope_yaml(scaling), rope_shape(head_width, train_length));
}

}  // namespace

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

// Hugging Face divides by zero here, for every factor and length.
TEST_CASE("methods that change the base need two pairs", "[encodings][fault][golden]") {
  const Json& errors = goldens()["errors"];
  CHECK(errors["count"] == 32);
  CHECK(errors.contains("dynamic with rotary dim 2 (head_dim 8, partial 0.25)"));
  const std::set<std::string> change_the_base = {"dynamic", "dynamic_part_ntk", "ntk", "part_ntk"};
  for (const auto& type : types_with()) {
    INFO(type);
    const std::string yaml = rope_yaml(scaling_block(type, 1), "partial_rotary_factor: 0.25\n");  // 2 of 8 channels
    const std::string error = config_error(yaml);
    if (change_the_base.count(type) == 0) {
      CHECK(error.empty());
    } else {
      CHECK_THAT(error, ContainsSubstring(place_of(yaml, "rope_type") +
                                          ": scaling.rope_type: found a method that changes the base with a rotary "
                                          "width of 2; allowed: it needs a width of 4 or more"));
      CHECK(config_error(rope_yaml(scaling_block(type, 2), "partial_rotary_factor: 0.5\n")).empty());
    }
  }
  for (const std::string factor : {"1", "2", "8", "32"})
    for (const std::string original : {"16", "2048"})
      CHECK_FALSE(
          scaling_error("rope_type: dynamic, factor: " + factor + ", original_max_position_embeddings: " + original,
                        2048, 2)
              .empty());
}

TEST_CASE("an odd rotary width is refused for every method that turns a part of the head", "[encodings]") {
  for (const auto& type : types_with()) {
    INFO(type);
    const std::string yaml = rope_yaml(scaling_block(type, 1), "partial_rotary_factor: 0.375\n");  // 3 of 8 channels
    const std::string error = config_error(yaml);
    if (type == "proportional") {
      CHECK(error.empty());  // 1 of 4 pairs
    } else {
      CHECK_FALSE(error.empty());
      CHECK_THAT(error, ContainsSubstring("which rotates 3 of 8 channels of a head") ||
                            ContainsSubstring("with a rotary width of 3; allowed: it needs a width of 4 or more"));
    }
    CHECK_THAT(config_error("scheme: rope\nrope_theta: 1\nscaling: {" + scaling_block(type) + "}\n"),
               ContainsSubstring("position.yaml:2:13: rope_theta: found '1'; allowed: a number above 1"));
  }
}

TEST_CASE("ramps must run downwards in turns, for every method that has one", "[encodings]") {
  for (const std::string type : {"by_parts_index", "dynamic_yarn", "yarn"}) {
    const std::string block = scaling_block(type);
    const std::string allowed = "; allowed: beta_fast above beta_slow";
    check_refused(block + ", beta_fast: 1", "beta_fast", "1 with beta_slow 1" + allowed);
    check_refused(block + ", beta_fast: 0.5", "beta_fast", "0.5 with beta_slow 1" + allowed);
    CHECK_THAT(scaling_error(block + ", beta_slow: 40"), ContainsSubstring("found 32 with beta_slow 40" + allowed));
    check_refused(block + ", beta_fast: -1", "beta_fast", "'-1'; allowed: a number, 0 or more");
    check_refused(block + ", beta_slow: fast", "beta_slow", "'fast'; allowed: a number, 0 or more");
    check_refused(block + ", truncate: 1", "truncate", "'1'; allowed: true or false");
    CHECK(scaling_error(block + ", beta_fast: null, beta_slow: 0").empty());  // the defaults, as in Hugging Face
  }
  CHECK(types_with("beta_fast") == std::vector<std::string>{"by_parts_index", "dynamic_yarn", "yarn"});
  CHECK(scaling_error("rope_type: yarn, factor: 2, mscale: null, mscale_all_dim: null").empty());
  const std::string llama3 = "rope_type: llama3, factor: 8";
  check_refused(llama3 + ", high_freq_factor: 1", "high_freq_factor",
                "1 with low_freq_factor 1; allowed: high_freq_factor above low_freq_factor");
  CHECK_THAT(scaling_error(llama3 + ", low_freq_factor: 5"),
             ContainsSubstring("scaling.high_freq_factor: found 4 with low_freq_factor 5"));
  check_refused(llama3 + ", low_freq_factor: 0", "low_freq_factor", "'0'; allowed: a number above 0");
  check_refused(llama3 + ", high_freq_factor: -4", "high_freq_factor", "'-4'; allowed: a number above 0");
}

TEST_CASE("attn_factor is not attention_factor, for every method that has the one", "[encodings]") {
  CHECK(types_with("attention_factor") == std::vector<std::string>{"dynamic_longrope", "factors", "longrope", "yarn"});
  for (const auto& type : types_with()) {
    INFO(type);
    const std::string error = config_error(rope_yaml(scaling_block(type) + ", attn_factor: 1"));
    if (scaling_options(type).count("attention_factor") == 1) {
      CHECK_THAT(error, ContainsSubstring("scaling.attn_factor: found vLLM's key") &&
                            ContainsSubstring("did you mean 'attention_factor'?"));
      for (const std::string bad : {"0", "-1", ".inf", "true"})
        check_refused(scaling_block(type) + ", attention_factor: " + bad, "attention_factor",
                      "'" + bad + "'; allowed: a number above 0");
    } else {
      CHECK_THAT(error, ContainsSubstring("scaling.attn_factor: found an unknown key"));
    }
  }
}

// llama3 319, 299: a new type refused with a message about something else.
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
  const std::string lists =
      ", factor: 2, short_factor: " + factor_list(4, 0.01) + ", long_factor: " + factor_list(4, 0.5);
  CHECK(name_of("type: su" + lists) == "longrope");
  CHECK(name_of("rope_type: su" + lists) == "longrope");
  CHECK(name_of("type: su, rope_type: longrope" + lists) == "longrope");
  CHECK_THAT(scaling_error("type: su, rope_type: linear, factor: 2"),
             ContainsSubstring("scaling.type: found 'su' beside rope_type 'linear'; allowed: one name"));
  CHECK_THAT(scaling_error("type: yarn, rope_type: linear, factor: 2"),
             ContainsSubstring("scaling.type: found 'yarn' beside rope_type 'linear'; allowed: one name"));
}

// DeepSpeed 8341, sglang 14745, transformers 43766: theta moved into the dict, and the old look-up silently gave 10000.
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

// transformers 45887 and others: blocks of real models must be read as they are.
TEST_CASE("blocks pasted from published configs are accepted", "[encodings]") {
  const std::string phi_lists = "short_factor: " + factor_list(32, 0.01) + ", long_factor: " + factor_list(32, 0.5);
  const std::vector<std::string> blocks = {
      "factor: 8.0, low_freq_factor: 1.0, high_freq_factor: 4.0, original_max_position_embeddings: "
      "8192, rope_type: llama3",
      "type: linear, factor: 4.0",
      "type: dynamic, factor: 2.0",
      "beta_fast: 32, beta_slow: 1, factor: 40, mscale: 1.0, mscale_all_dim: 1.0, "
      "original_max_position_embeddings: 4096, type: yarn",
      "rope_type: yarn, rope_theta: 150000, factor: 32.0, beta_fast: 32.0, beta_slow: 1.0, truncate: "
      "false, original_max_position_embeddings: 4096",
      "type: longrope, max_position_embeddings: 131072, original_max_position_embeddings: 4096, " + phi_lists,
      "rope_type: proportional, partial_rotary_factor: 0.25, rope_theta: 1000000.0",
      "type: su, original_max_position_embeddings: 4096, factor: 32, " + phi_lists,
      "factor: 16.0, finetuned: true, original_max_position_embeddings: 4096, type: yarn",
      "type: null, rope_type: linear, factor: 4, attention_factor: null, beta_fast: null, long_factor: null",
  };
  for (const auto& block : blocks) {
    INFO(block);
    CHECK(scaling_error(block).empty());
  }
}

TEST_CASE("finetuned in a pasted block changes no frequency, and is warned of", "[encodings]") {
  const std::string block = "scheme: rope\nscaling: {rope_type: yarn, factor: 4";
  const auto said = PositionSetting::parse(parse_yaml(block + ", finetuned: true}", "c.yaml"), small_shape());
  REQUIRE(said.warnings().size() == 1);
  CHECK_THAT(said.warnings().front(), ContainsSubstring("scaling.finetuned: changes nothing here"));
  CHECK(fact_numbers(*said.build(), "inv_freq") == fact_numbers(*build(block + "}\n"), "inv_freq"));
  CHECK(PositionSetting::parse(parse_yaml(block + ", finetuned: false}", "c.yaml"), small_shape()).warnings().empty());
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
