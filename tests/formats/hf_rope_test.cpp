// RoPE settings of config.json in the old form and the new.
#include "harness/formats/hf_rope.h"

#include "tests/formats/support.h"

namespace lw::formats_test {
namespace {

using Catch::Matchers::ContainsSubstring;

std::vector<HfRope> read(const std::string& text) {
  JsonCursor c(parse_sorted_json("{" + text + "}", "f"), "f", "config.json");
  auto ropes = read_hf_rope(c);
  c.finish();
  return ropes;
}

std::string error_of(const std::string& text) {
  return message_of("f", [&] { read(text); });
}

std::string scaling_error(const std::string& block) { return error_of("\"rope_scaling\": {" + block + "}"); }

}  // namespace

TEST_CASE("theta and partial factor stand at the top, in the block, or under GPT-NeoX's names", "[formats]") {
  for (const char* text :
       {R"("rope_theta": 1000000, "partial_rotary_factor": 0.5)",
        R"("rope_theta": 1000000.0, "partial_rotary_factor": 0.5, "rope_scaling": null)",
        R"("rotary_emb_base": 1e6, "rotary_pct": 0.5)",
        R"("rope_parameters": {"rope_type": "default", "rope_theta": 1e6, "partial_rotary_factor": 0.5})",
        R"("rope_parameters": {"rope_theta": 1e6, "partial_rotary_factor": 0.5}, "rope_theta": 1000000)",
        R"("rope_scaling": {"type": "default"}, "rope_theta": 1e6, "partial_rotary_factor": 0.5)"}) {
    INFO(text);
    const auto ropes = read(text);
    REQUIRE(ropes.size() == 1);
    CHECK(ropes[0].layers.empty());
    CHECK(ropes[0].rope_type == "default");
    CHECK(ropes[0].rope_theta == 1e6);
    CHECK(ropes[0].partial_rotary_factor == 0.5);
    CHECK(ropes[0].scaling.empty());
  }
  CHECK(read("").at(0).rope_theta == std::nullopt);  // never a silent 10000
  CHECK(error_of(R"("rope_theta": 10000, "rope_parameters": {"rope_theta": 1e6})") ==
        "rope_theta: found 10000.0, where the rope settings say 1000000.0; allowed: one value");
  CHECK(error_of(R"("rotary_pct": 0.25, "rope_parameters": {"partial_rotary_factor": 0.5})") ==
        "partial_rotary_factor: found 0.25, where the rope settings say 0.5; allowed: one value");
  CHECK(error_of(R"("rope_theta": 1)") == "rope_theta: found 1; allowed: a number above 1");
  CHECK(error_of(R"("rope_theta": "1e6")") == "rope_theta: found \"1e6\"; allowed: a number above 1");
  CHECK(error_of(R"("partial_rotary_factor": 1.5)") ==
        "partial_rotary_factor: found 1.5; allowed: a number above 0 and up to 1");
}

TEST_CASE("every rope type keeps its options as they stand", "[formats]") {
  const std::vector<std::string> blocks = {
      R"("rope_type": "linear", "factor": 2)",
      R"("rope_type": "dynamic", "factor": 4.0)",
      R"("rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 512, "attention_factor": 1.1,
         "beta_fast": 32, "beta_slow": 1, "mscale": 1.0, "mscale_all_dim": 0.707, "truncate": false)",
      R"("rope_type": "yarn", "original_max_position_embeddings": 512)",
      R"("rope_type": "longrope", "short_factor": [1, 1.5], "long_factor": [2, 3], "factor": 32)",
      R"("rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
         "original_max_position_embeddings": 8192)",
      R"("rope_type": "proportional", "factor": 1.0)"};
  for (const auto& block : blocks) {
    INFO(block);
    const SortedJson expected = parse_sorted_json("{" + block + "}", "f");
    for (const char* name : {"rope_scaling", "rope_parameters"}) {
      const auto ropes = read("\"" + std::string(name) + "\": {" + block + "}");
      CHECK(ropes.at(0).scaling == expected);
      CHECK(ropes.at(0).rope_type == expected["rope_type"].get<std::string>());
      CHECK(ropes.at(0).original_max_position_embeddings.has_value() ==
            expected.contains("original_max_position_embeddings"));
    }
  }
  CHECK(read(R"("rope_scaling": {"type": "yarn", "factor": 16, "finetuned": true})").at(0).scaling ==
        SortedJson{{"rope_type", "yarn"}, {"factor", 16}});
  CHECK(read(R"("rope_scaling": {"type": "su", "short_factor": [1], "long_factor": [2]})").at(0).rope_type ==
        "longrope");
  CHECK(read(R"("rope_scaling": {"type": "su", "rope_type": "longrope", "short_factor": [1], "long_factor": [2]})")
            .at(0)
            .rope_type == "longrope");
}

TEST_CASE("unknown types and options are refused, never ignored", "[formats]") {
  const std::string types = "default, linear, dynamic, yarn, longrope, llama3, proportional";
  CHECK(scaling_error(R"("rope_type": "mrope", "mrope_section": [1])") ==
        "rope_scaling.rope_type: found \"mrope\"; allowed: " + types);
  CHECK_THAT(scaling_error(R"("type": "lineer", "factor": 2)"),
             ContainsSubstring("rope_scaling.type: found \"lineer\"; allowed: " + types + "; did you mean 'linear'?"));
  CHECK(scaling_error(R"("type": "linear", "rope_type": "yarn", "factor": 2)") ==
        "rope_scaling.type: found \"linear\", where rope_type says \"yarn\"; allowed: one type");
  CHECK(scaling_error(R"("factor": 2)") == "rope_scaling.rope_type: found nothing beside a factor; allowed: " + types);
  CHECK(scaling_error(R"("rope_type": 3)") == "rope_scaling.rope_type: found 3; allowed: " + types);
  CHECK_THAT(scaling_error(R"("rope_type": "yarn", "factor": 2, "attn_factor": 1.0)"),
             ContainsSubstring("rope_scaling.attn_factor: found a key that is not understood"));
  CHECK_THAT(scaling_error(R"("rope_type": "linear", "factor": 2, "beta_fast": 32)"),
             ContainsSubstring("rope_scaling.beta_fast: found a key that is not understood"));
  CHECK(error_of(R"("rope_scaling": "linear")") == "rope_scaling: found \"linear\"; allowed: an object");
}

TEST_CASE("impossible and missing options of rope types", "[formats]") {
  const std::string factor = "rope_scaling.factor: found ";
  CHECK(scaling_error(R"("rope_type": "linear")") == factor + "nothing; allowed: a number, 1 or more");
  CHECK(scaling_error(R"("rope_type": "linear", "factor": 0.5)") == factor + "0.5; allowed: a number, 1 or more");
  CHECK(scaling_error(R"("rope_type": "dynamic", "factor": true)") == factor + "true; allowed: a number, 1 or more");
  CHECK(scaling_error(R"("rope_type": "yarn", "factor": "8")") == factor + "\"8\"; allowed: a number, 1 or more");
  CHECK(scaling_error(R"("rope_type": "llama3", "factor": 8, "low_freq_factor": 1)") ==
        "rope_scaling.high_freq_factor: found nothing; allowed: a number above 0");
  CHECK(scaling_error(R"("rope_type": "longrope", "short_factor": [1])") ==
        "rope_scaling.long_factor: found nothing; allowed: a list of numbers above 0");
  CHECK(scaling_error(R"("rope_type": "longrope", "short_factor": [1], "long_factor": 2)") ==
        "rope_scaling.long_factor: found 2; allowed: a list of numbers above 0");
  CHECK(scaling_error(R"("rope_type": "longrope", "short_factor": [0], "long_factor": [2])") ==
        "rope_scaling.short_factor: found 0 in the list; allowed: a number above 0, or a list of them");
  CHECK(scaling_error(R"("rope_type": "yarn", "factor": 2, "original_max_position_embeddings": 0)") ==
        "rope_scaling.original_max_position_embeddings: found 0; allowed: a whole number, 1 or more");
  CHECK(scaling_error(R"("rope_type": "yarn", "factor": 2, "truncate": 0)") ==
        "rope_scaling.truncate: found 0; allowed: true, false");
}

TEST_CASE("both forms in one file must agree", "[formats]") {
  const auto ropes = read(R"("rope_scaling": {"type": "linear", "factor": 2, "rope_theta": 5e5},
                             "rope_parameters": {"rope_type": "linear", "factor": 2.0, "rope_theta": 500000})");
  CHECK(ropes.at(0).scaling == SortedJson{{"rope_type", "linear"}, {"factor", 2}});
  CHECK(error_of(R"("rope_scaling": {"type": "linear", "factor": 4},
                    "rope_parameters": {"rope_type": "linear", "factor": 2})") ==
        "rope_scaling: found {\"factor\":4,\"type\":\"linear\"}, where rope_parameters says "
        "{\"factor\":2,\"rope_type\":\"linear\"}; allowed: one of them, or both the same");
  CHECK(error_of(R"("rope_scaling": {"type": "linear", "factor": 2, "rope_theta": 3},
                    "rope_parameters": {"rope_type": "linear", "factor": 2, "rope_theta": 4})") ==
        "rope_scaling.rope_theta: found 3, where rope_parameters says 4; allowed: one value");
  CHECK(error_of(R"("rope_scaling": {"type": "linear", "factor": 2, "rope_theta": 3},
                    "rope_parameters": {"rope_type": "linear", "factor": 2})") ==
        "rope_scaling.rope_theta: found 3, where rope_parameters says null; allowed: one value");
  CHECK(error_of(R"("rope_scaling": {}, "rope_parameters": [])") ==
        "rope_scaling: found {}, where rope_parameters says []; allowed: one of them, or both the same");
  CHECK(error_of(R"("rope_scaling": {"type": "linear", "factor": 2},
                    "rope_parameters": {"full_attention": {"rope_type": "default"}})") ==
        "rope_scaling: found beside rope_parameters that differ by layer type; allowed: one of them");
}

TEST_CASE("the original length stands in the block or, for Phi-3, at the top", "[formats]") {
  const std::string block = R"("rope_scaling": {"type": "longrope", "short_factor": [1], "long_factor": [2]})";
  const auto top = read(block + R"(, "original_max_position_embeddings": 4096)");
  CHECK(top.at(0).original_max_position_embeddings == 4096);
  CHECK(top.at(0).scaling["original_max_position_embeddings"] == 4096);
  CHECK(read(block).at(0).original_max_position_embeddings == std::nullopt);  // not taken from elsewhere
  CHECK(read(R"("original_max_position_embeddings": 4096)").at(0).scaling.empty());
  CHECK(error_of(R"("original_max_position_embeddings": 4096,
                    "rope_scaling": {"type": "yarn", "factor": 2, "original_max_position_embeddings": 2048})") ==
        "original_max_position_embeddings: found 4096, where the rope settings say 2048; allowed: one value");
}

TEST_CASE("layer types have settings of their own, in both forms", "[formats]") {
  const auto old_form = read(R"("rope_theta": 1000000.0, "rope_local_base_freq": 10000,
                                "rope_scaling": {"rope_type": "linear", "factor": 8.0})");
  const auto new_form = read(R"("rope_parameters": {
      "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6},
      "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}})");
  for (const auto& ropes : {old_form, new_form}) {
    REQUIRE(ropes.size() == 2);
    CHECK(ropes[0].layers == "full_attention");
    CHECK(ropes[0].rope_theta == 1e6);
    CHECK(ropes[0].scaling == SortedJson{{"rope_type", "linear"}, {"factor", 8.0}});
    CHECK(ropes[1].layers == "sliding_attention");
    CHECK(ropes[1].rope_theta == 1e4);
    CHECK(ropes[1].scaling.empty());
  }
  const std::string nested = R"("rope_parameters": {"full_attention": {"rope_theta": 1e6},
                                                   "sliding_attention": {"rope_theta": 1e4}})";
  CHECK(read(nested + R"(, "rope_theta": 1e6, "rope_local_base_freq": 1e4)").size() == 2);
  CHECK(error_of(nested + R"(, "rope_theta": 5e5)") ==
        "rope_theta: found 500000.0, where the rope settings say 1000000.0; allowed: one value");
  CHECK(error_of(nested + R"(, "rope_local_base_freq": 5e5)") ==
        "rope_local_base_freq: found 500000.0, where rope_parameters says 10000.0; allowed: one value");
  CHECK(error_of(R"("rope_parameters": {"chunked_attention": {"rope_theta": 1e6}})") ==
        "rope_parameters.chunked_attention: found an unknown layer type; allowed: full_attention, sliding_attention");
  CHECK_THAT(error_of(R"("rope_parameters": {"full_attention": {}, "factor": 2})"),
             ContainsSubstring("rope_parameters.factor: found a key that is not understood"));
}

}  // namespace lw::formats_test
