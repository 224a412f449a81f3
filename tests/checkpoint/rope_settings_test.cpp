// RoPE settings of config.json in the forms of transformers 4 and 5.
#include "harness/checkpoint/rope_settings.h"

#include "tests/checkpoint/fixtures.h"

using namespace lw;
using namespace lw::checkpoint_test;

namespace {

const std::string kTypes = "; allowed: default, linear, dynamic, yarn, longrope, llama3, proportional";

/// llama without rope settings, and these keys.
Change rope(const Json& keys) {
  return [=](Json& config) {
    config.erase("rope_parameters");
    config.update(keys);
  };
}

/// The position of llama with these keys, as a config would state it.
Tree position_of(const Json& keys, const std::string& family = "llama") {
  return open_with(family, rope(keys)).model.position;
}

std::string error_of_keys(const Json& keys, const std::string& family = "llama") {
  const std::string error = error_with(family, rope(keys)), place = family + ": ";
  if (error.empty()) return "";
  REQUIRE(error.rfind(place, 0) == 0);
  return error.substr(place.size());
}

std::string error_of_block(const Json& block) { return error_of_keys({{"rope_scaling", block}}); }

Json with(Json block, const char* key, const Json& value) {
  block[key] = value;
  return block;
}

const Json kLinear = {{"rope_type", "linear"}, {"factor", 4}};
const Json kYarn = {{"rope_type", "yarn"}, {"factor", 4.0}, {"original_max_position_embeddings", 4}};
const Json kLongRope = {
    {"rope_type", "longrope"}, {"factor", 4}, {"short_factor", {1, 1, 1, 1}}, {"long_factor", {1, 2, 3, 4}}};
const Json kLlama3 = {{"rope_type", "llama3"}, {"factor", 8}, {"low_freq_factor", 1}, {"high_freq_factor", 4}};

}  // namespace

TEST_CASE("theta and partial factor stand above the block, in it, or under GPT-NeoX's names", "[families]") {
  const Tree wanted = parse_yaml("{scheme: rope, rope_theta: 1000000, partial_rotary_factor: 0.5}", "test");
  for (const Json& keys : std::vector<Json>{
           {{"rope_theta", 1000000}, {"partial_rotary_factor", 0.5}},
           {{"rope_theta", 1000000.0}, {"partial_rotary_factor", 0.5}, {"rope_scaling", nullptr}},
           {{"rotary_emb_base", 1e6}, {"rotary_pct", 0.5}},
           {{"rope_parameters", {{"rope_type", "default"}, {"rope_theta", 1e6}, {"partial_rotary_factor", 0.5}}}},
           {{"rope_parameters", {{"rope_theta", 1e6}, {"partial_rotary_factor", 0.5}}}, {"rope_theta", 1000000}},
           {{"rope_scaling", {{"type", "default"}}}, {"rope_theta", 1e6}, {"partial_rotary_factor", 0.5}}}) {
    INFO(keys.dump());
    CHECK(position_of(keys, "gpt_neox").same(wanted));
  }
  CHECK(error_of_keys({{"rope_theta", 10000}, {"rope_parameters", {{"rope_theta", 1e6}}}}) ==
        "rope_theta: found 10000, and 1000000 among the rope parameters; allowed: one value");
  CHECK(error_of_keys({{"rotary_pct", 0.25}, {"rope_parameters", {{"partial_rotary_factor", 0.5}}}}, "gpt_neox") ==
        "partial_rotary_factor: found 0.25, and 0.5 among the rope parameters; allowed: one value");
  CHECK(error_of_keys({{"rotary_pct", 0.25}, {"partial_rotary_factor", 0.5}}, "gpt_neox") ==
        "rotary_pct: found 0.25 beside partial_rotary_factor: 0.5; allowed: one value for both");
  CHECK(error_of_keys({{"rope_theta", 1}}) == "rope_theta: found '1'; allowed: a number above 1");
  CHECK(error_of_keys({{"rope_theta", -10000}}) == "rope_theta: found '-10000'; allowed: a number above 1");
  CHECK(error_of_keys({{"rope_theta", "1e6"}}) == "rope_theta: found \"1e6\"; allowed: a number");
  CHECK(error_of_keys({{"rope_parameters", {{"rope_theta", true}}}}) == "rope_theta: found true; allowed: a number");
  CHECK(error_of_keys({{"rope_parameters", {{"partial_rotary_factor", 0.5}}}}) ==
        "partial_rotary_factor: found 0.5; allowed: 1, since llama rotates whole heads");
}

TEST_CASE("a rotary width is even and within the head", "[families]") {
  CHECK(error_of_keys({{"rotary_pct", 1.5}}, "gpt_neox") ==
        "partial_rotary_factor: found '1.5'; allowed: a number above 0 and up to 1");
  CHECK(error_of_keys({{"rotary_pct", 0}}, "gpt_neox") ==
        "partial_rotary_factor: found '0'; allowed: a number above 0 and up to 1");
  CHECK(error_of_keys({{"rotary_pct", 0.375}}, "gpt_neox") ==
        "partial_rotary_factor: found 0.375, which rotates 3 of 8 channels of a head; allowed: an even number of them, "
        "2 or more");
  CHECK(error_of_keys({{"rotary_pct", 0.01}}, "gpt_neox") ==
        "partial_rotary_factor: found 0.01, which rotates 0 of 8 channels of a head; allowed: an even number of them, "
        "2 or more");
}

TEST_CASE("every rope type keeps its options as they stand, in both forms", "[families]") {
  const auto scaling = [](const Json& block, const char* form) {
    return *position_of({{form, block}}).find("scaling");
  };
  const std::vector<std::pair<Json, std::string>> blocks = {
      {kLinear, "{rope_type: linear, factor: 4}"},
      {{{"type", "linear"}, {"factor", 4.0}}, "{rope_type: linear, factor: 4}"},
      // The length that dynamic starts from is max_position_embeddings.
      {{{"rope_type", "dynamic"}, {"factor", 2}},
       "{rope_type: dynamic, factor: 2, original_max_position_embeddings: 16}"},
      {{{"rope_type", "yarn"},
        {"factor", 4.0},
        {"original_max_position_embeddings", 4.0},
        {"attention_factor", 1.1},
        {"beta_fast", 32},
        {"beta_slow", 1},
        {"mscale", 1.0},
        {"mscale_all_dim", 0.707},
        {"truncate", false},
        {"finetuned", true}},
       "{rope_type: yarn, factor: 4, original_max_position_embeddings: 4, attention_factor: 1.1, beta_fast: 32, "
       "beta_slow: 1, mscale: 1, mscale_all_dim: 0.707, truncate: false}"},
      {with(with(kYarn, "attention_factor", nullptr), "mscale", nullptr),
       "{rope_type: yarn, factor: 4, original_max_position_embeddings: 4}"},
      {{{"rope_type", "yarn"}, {"factor", nullptr}, {"original_max_position_embeddings", 4}},
       "{rope_type: yarn, factor: 4, original_max_position_embeddings: 4}"},
      {{{"rope_type", "yarn"}, {"factor", 4}}, "{rope_type: yarn, factor: 4, original_max_position_embeddings: 16}"},
      {with(with(kLongRope, "type", "su"), "original_max_position_embeddings", 4),
       "{rope_type: longrope, factor: 4, short_factor: [1, 1, 1, 1], long_factor: [1, 2, 3, 4], "
       "original_max_position_embeddings: 4}"},
      {with(kLlama3, "original_max_position_embeddings", 8),
       "{rope_type: llama3, factor: 8, low_freq_factor: 1, high_freq_factor: 4, original_max_position_embeddings: 8}"},
      {{{"rope_type", "proportional"}, {"factor", 1.0}}, "{rope_type: proportional, factor: 1}"}};
  for (const auto& [block, wanted] : blocks)
    for (const char* form : {"rope_scaling", "rope_parameters"}) {
      INFO(form << " " << block.dump());
      CHECK(scaling(block, form).same(parse_yaml(wanted, "test")));
      CHECK(error_of_keys({{form, block}}) == "");
    }
  CHECK(open_with("llama", rope({{"rope_scaling", kYarn}})).model.train_length == 4);
  CHECK(open_with("llama", rope({{"rope_scaling", kLinear}})).model.train_length == 16);
  CHECK(open_with("llama", rope({{"rope_scaling", {{"type", "default"}, {"factor", 1}}}})).model.train_length == 16);
}

TEST_CASE("unknown types and options are refused, never ignored", "[families]") {
  CHECK(error_of_block({{"rope_type", "mrope"}, {"mrope_section", {1}}}) ==
        "rope_scaling.rope_type: found 'mrope', whose positions are not those of a text" + kTypes);
  CHECK(error_of_block({{"type", "lineer"}, {"factor", 2}}) ==
        "rope_scaling.type: found 'lineer'" + kTypes + "; did you mean 'linear'?");
  CHECK(error_of_keys({{"rope_parameters", {{"rope_type", "spiral"}}}}) ==
        "rope_parameters.rope_type: found 'spiral'" + kTypes);
  CHECK(error_of_block(with(kLinear, "type", "yarn")) ==
        "rope_scaling: found rope_type 'linear' beside type 'yarn'; allowed: one name");
  CHECK(error_of_block({{"factor", 2}}) == "rope_scaling.rope_type: found nothing beside a factor" + kTypes);
  CHECK(error_of_block({{"rope_type", 3}}) == "rope_scaling.rope_type: found 3" + kTypes);
  CHECK(error_of_block("linear") == "rope_scaling: found \"linear\"; allowed: an object or null");
  CHECK(error_of_keys({{"rope_parameters", Json::array()}}) == "rope_parameters: found []; allowed: an object or null");
  CHECK(error_of_block({{"rope_type", "default"}, {"factor", 8}}) ==
        "rope_scaling: found factor with rope_type default; allowed: nothing else");
  CHECK(error_of_keys({{"rope_parameters", {{"rope_type", "default"}, {"beta_fast", 2}}}}) ==
        "rope_parameters: found beta_fast with rope_type default; allowed: nothing else");
  CHECK(error_of_block(with(kLinear, "beta_fast", 32)).rfind("scaling.beta_fast: found an unknown key; ", 0) == 0);
  CHECK(error_of_block(with(kYarn, "attn_factor", 1)).find("did you mean 'attention_factor'?") != std::string::npos);
  CHECK(error_of_keys({{"rope_parameters", {{"full_attention", {{"rope_type", "default"}}}}}}) ==
        "rope_parameters.full_attention: found settings of one kind of layer; allowed: one block, since layers of "
        "llama rotate alike");
}

TEST_CASE("impossible and missing options of rope types", "[families]") {
  const std::string factor = "scaling.factor: found ", more = "; allowed: a number, 1 or more";
  CHECK(error_of_block({{"rope_type", "linear"}}) == factor + "nothing" + more);
  CHECK(error_of_block(with(kLinear, "factor", nullptr)) == factor + "nothing" + more);
  CHECK(error_of_block(with(kLinear, "factor", 0.5)) == factor + "'0.5'" + more);
  CHECK(error_of_block(with(kLinear, "factor", -2)) == factor + "'-2'" + more);
  CHECK(error_of_block(with(kLinear, "factor", true)) == factor + "'true'" + more);
  CHECK(error_of_block(with(kLinear, "factor", "8")) == factor + "the text \"8\"" + more);
  CHECK(error_of_block(with(kLinear, "factor", {4})) == factor + "a list" + more);
  CHECK(error_of_block(with(kLinear, "rope_type", "dynamic")) == "");
  CHECK(error_of_block({{"rope_type", "llama3"}, {"factor", 8}, {"low_freq_factor", 1}}) ==
        "rope_scaling.high_freq_factor: found nothing; allowed: a number above 0");
  CHECK(error_of_block(with(kLlama3, "low_freq_factor", 4)).find("high_freq_factor above low_freq_factor") !=
        std::string::npos);
  CHECK(error_of_block({{"rope_type", "longrope"}, {"short_factor", {1, 1, 1, 1}}}) ==
        "scaling.long_factor: found nothing; allowed: 4 numbers above 0, one for each pair of a rotary width of 8");
  CHECK(error_of_block(with(kLongRope, "long_factor", {2, 2, 2})) ==
        "scaling.long_factor: found 3 numbers; allowed: 4 numbers above 0, one for each pair of a rotary width of 8");
  CHECK(error_of_block(with(kLongRope, "long_factor", 2)) ==
        "scaling.long_factor: found '2'; allowed: a list, each entry a number above 0");
  CHECK(error_of_block(with(kLongRope, "short_factor", {0, 1, 1, 1})) ==
        "scaling.short_factor: found '0' in the list; allowed: a list, each entry a number above 0");
  CHECK(error_of_block(with(kLongRope, "short_factor", {"1", 1, 1, 1})) ==
        "scaling.short_factor: found the text \"1\" in the list; allowed: a list, each entry a number above 0");
  const std::string original = "rope_scaling: original_max_position_embeddings: found ";
  for (const char* type : {"yarn", "dynamic", "default"}) {
    const Json block = with(kYarn, "rope_type", type);
    CHECK(error_of_block(with(block, "original_max_position_embeddings", 0)) == original + "0; allowed: 1 or more");
    CHECK(error_of_block(with(block, "original_max_position_embeddings", "many")) ==
          original + "\"many\"; allowed: a whole number");
    CHECK(error_of_block(with(block, "original_max_position_embeddings", 1e30)) ==
          original + "1e+30; allowed: a whole number");
  }
  CHECK(error_of_block(with(kYarn, "truncate", 0)) == "scaling.truncate: found '0'; allowed: true or false");
  CHECK(error_of_block(with(kYarn, "attention_factor", 0)) ==
        "scaling.attention_factor: found '0'; allowed: a number above 0");
}

TEST_CASE("both forms of rope settings in one file must agree", "[families]") {
  const auto both = [](const Json& before, const Json& now) {
    return error_of_keys({{"rope_scaling", before}, {"rope_parameters", now}});
  };
  const std::string one = " in rope_parameters; allowed: one form, or both saying the same";
  const Json now = with(kLinear, "rope_theta", 100.0);
  CHECK(both({{"type", "linear"}, {"factor", 4.0}}, now) == "");
  CHECK(both({{"type", "su"}, {"short_factor", {1, 1, 1, 1}}, {"long_factor", {1, 1, 1, 1}}},
             {{"rope_type", "longrope"}, {"short_factor", {1, 1, 1, 1}}, {"long_factor", {1, 1, 1, 1}}}) == "");
  CHECK(both({{"type", "default"}}, {{"rope_theta", 100}}) == "");
  CHECK(both({{"type", "linear"}, {"factor", 2.0}}, now) == "rope_scaling: found factor 2.0, and 4" + one);
  CHECK(both({{"type", "dynamic"}, {"factor", 4}}, now) ==
        "rope_scaling: found rope_type \"dynamic\", and \"linear\"" + one);
  CHECK(both(kYarn, with(kYarn, "beta_fast", 16)) == "rope_scaling: found beta_fast none, and 16" + one);
  CHECK(both(with(kLinear, "rope_theta", 3), kLinear) == "rope_scaling: found rope_theta 3, and none" + one);
  CHECK(both(with(kLinear, "rope_theta", 3), now) == "rope_scaling: found rope_theta 3, and 100.0" + one);
}

TEST_CASE("the original length stands in the block, above it, or is the family's", "[families]") {
  const auto original = [](const std::string& family, const Json& keys) {
    return open_with(family, rope(keys)).model.train_length;
  };
  CHECK(original("phi3", {{"rope_scaling", kLongRope}, {"original_max_position_embeddings", 8}}) == 8);
  CHECK(original("llama", {{"rope_scaling", kLongRope}, {"original_max_position_embeddings", 8}}) == 8);
  CHECK(original("llama", {{"rope_scaling", kLongRope}}) == 16);  // max_position_embeddings
  // Phi-3's first files: "yarn" with LongRoPE's lists, and no original length.
  const auto first = rope({{"rope_scaling", with(kLongRope, "rope_type", "yarn")}});
  const Checkpoint phi3 = open_with("phi3", [&](Json& config) {
    first(config);
    config.erase("original_max_position_embeddings");
  });
  CHECK(phi3.model.train_length == 4096);
  CHECK(phi3.model.position.find("scaling")->find("rope_type")->text == "longrope");
  CHECK(error_of_keys({{"original_max_position_embeddings", 8}, {"rope_scaling", kYarn}}) ==
        "original_max_position_embeddings: found 8, and 4 among the rope parameters; allowed: one value");
  CHECK(origin_of(open_with("llama", rope({{"rope_scaling", with(kYarn, "rope_type", "dynamic")}})),
                  "rope_scaling.original_max_position_embeddings") ==
        "16, max_position_embeddings, as in transformers");
}

TEST_CASE("rope settings that contradict themselves, lack a length or have no effect are told", "[families]") {
  const auto remarks = [](const Json& keys, const std::string& family = "llama") {
    return open_with(family, rope(keys)).remarks;
  };
  using Lines = std::vector<std::string>;
  const std::string key = "rope_scaling.original_max_position_embeddings: ";
  // max_position_embeddings is 16.
  CHECK(remarks({{"rope_scaling", kYarn}}).empty());
  CHECK(remarks({{"rope_scaling", with(kYarn, "factor", 8.0)}}) ==
        Lines{"rope_scaling.factor: 8 is what counts, although max_position_embeddings is 16 with "
              "original_max_position_embeddings 4, a ratio of 4"});
  CHECK(remarks({{"rope_parameters", with(kYarn, "factor", 2)}}).front().rfind("rope_parameters.factor: 2 is ", 0) ==
        0);
  // Llama 3.1's own file has a factor of 8 beside a ratio of 16: its factor is no ratio of lengths.
  CHECK(remarks({{"rope_scaling", with(kLlama3, "original_max_position_embeddings", 8)}}).empty());
  const Json bare = {{"rope_type", "yarn"}, {"factor", 4}};
  for (const Json& block : {bare, kLlama3}) {
    CHECK(remarks({{"rope_scaling", block}}) == Lines{key + "not stated, so max_position_embeddings is taken: 16"});
    CHECK(origin_of(open_with("llama", rope({{"rope_scaling", block}})),
                    "rope_scaling.original_max_position_embeddings") == "16, default: max_position_embeddings");
  }
  CHECK(remarks({{"rope_scaling", with(kYarn, "rope_type", "dynamic")}}) ==
        Lines{key + "4 has no effect with rope_type dynamic, which starts from max_position_embeddings: 16"});
  CHECK(remarks({{"rope_scaling", kLinear}, {"original_max_position_embeddings", 8}}) ==
        Lines{key + "8 has no effect with rope_type linear"});
  CHECK(remarks({{"rope_scaling", with(kLinear, "rope_type", "dynamic")}}).empty());
  CHECK(remarks({{"rope_scaling", nullptr}}).empty());
  CHECK(origin_of(open_with("llama", rope({{"rope_scaling", with(kYarn, "factor", nullptr)}})),
                  "rope_scaling.factor") == "4.0, default: max_position_embeddings / original_max_position_embeddings");
}

TEST_CASE("kinds of layer have settings of their own, in both forms", "[families]") {
  const auto gemma = [](const Json& keys) { return open_with("gemma3_text", rope(keys)).model.position; };
  const Json before = {{"rope_theta", 1000}, {"rope_local_base_freq", 50}, {"rope_scaling", kLinear}};
  const Json now = {{"rope_parameters",
                     {{"full_attention", with(kLinear, "rope_theta", 1000.0)},
                      {"sliding_attention", {{"rope_type", "default"}, {"rope_theta", 50.0}}}}}};
  CHECK(gemma(before).same(gemma(now)));
  // What is null or absent in a block is the family's own.
  const Json bare = {
      {"rope_parameters", {{"full_attention", {{"rope_theta", nullptr}}}, {"sliding_attention", nullptr}}}};
  CHECK(gemma(bare).same(gemma(Json::object())));
  CHECK(gemma(bare).find("scaling")->find("full_attention")->find("rope_theta")->text == "1000000");
  const auto error = [](const Json& keys) { return error_of_keys(keys, "gemma3_text"); };
  CHECK(error(now) == "");
  CHECK(error({{"rope_parameters", {{"chunked_attention", {{"rope_theta", 1e6}}}}}}) ==
        "rope_parameters: found chunked_attention; allowed: an object under full_attention and one under "
        "sliding_attention");
  CHECK(error({{"rope_parameters", kLinear}}) ==
        "rope_parameters: found rope_type; allowed: an object under full_attention and one under sliding_attention");
  CHECK(error({{"rope_parameters", Json::array()}}) == "rope_parameters: found []; allowed: an object or null");
  CHECK(error({{"rope_scaling", "linear"}}) == "rope_scaling: found \"linear\"; allowed: an object or null");
  CHECK(error(with(now, "rope_theta", 5)) == "rope_theta: found 5, and another base in rope_parameters; allowed: one");
  CHECK(error(with(now, "rope_local_base_freq", 5)) ==
        "rope_local_base_freq: found 5, and another base in rope_parameters; allowed: one");
  CHECK(error(with(now, "rope_scaling", kLinear)) ==
        "rope_scaling: found it beside rope_parameters; allowed: one of them");
  CHECK(error({{"rope_parameters", {{"full_attention", {{"rope_theta", "1e6"}}}}}}) ==
        "rope_parameters.full_attention.rope_theta: found \"1e6\"; allowed: a number");
  CHECK(error({{"rope_parameters", {{"sliding_attention", {{"rope_type", "spiral"}}}}}}) ==
        "rope_parameters.sliding_attention.rope_type: found 'spiral'" + kTypes);
  CHECK(error_with("gemma3_text", set("attn_logit_softcapping", 50)) ==
        "gemma3_text: attn_logit_softcapping: found a value, which transformers reads and computes without; allowed: "
        "null");
}
