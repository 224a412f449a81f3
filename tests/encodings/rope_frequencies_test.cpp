// RoPE frequencies against peers' own functions (tests/data/positions.json): every entry, none left out.
#include "tests/encodings/rope_support.h"

namespace lw::encoding_test {

TEST_CASE("frequencies and attention factors equal the peers' in all 976 settings", "[encodings][golden]") {
  std::map<std::string, int> checked;
  for (const auto& [key, value] : goldens()["rope"].items()) {
    INFO(key);
    const GoldenRope got = golden_rope(key);
    CHECK(golden_gap(got.inv_freq(), numbers_of(value[0])) <= 1);
    CHECK(golden_gap(got.attention_factor(), value[1].get<double>()) <= 1);
    ++checked[golden_fields(key)[""]];
  }
  CHECK(checked == std::map<std::string, int>{{"default", 24},
                                              {"dynamic", 176},
                                              {"linear", 96},
                                              {"llama3", 288},
                                              {"longrope", 32},
                                              {"proportional", 72},
                                              {"yarn", 288}});
}

TEST_CASE("frequencies equal the YaRN authors' classes in all 192 settings", "[encodings][golden]") {
  std::map<std::string, int> checked;
  for (const auto& [key, value] : goldens()["originals"].items()) {
    INFO(key);
    const bool pair = value[0].is_array();  // [frequencies, attention factor], else frequencies alone
    const GoldenRope got = golden_rope(key);
    CHECK(golden_gap(got.inv_freq(), numbers_of(pair ? value[0] : value)) <= 1);
    CHECK(golden_gap(got.attention_factor(), pair ? value[1].get<double>() : 1.0) <= 1);
    ++checked[golden_fields(key)[""]];
  }
  CHECK(checked == std::map<std::string, int>{{"dyn_part_ntk", 32}, {"dyn_yarn", 32}, {"ntk", 32}, {"part_ntk", 96}});
}

TEST_CASE("NTK-by-parts over the index has YaRN's frequencies and no temperature", "[encodings][golden]") {
  int checked = 0;
  for (const auto& [key, value] : goldens()["rope"].items()) {
    if (golden_fields(key)[""] != "yarn") continue;
    INFO(key);
    const GoldenRope got = golden_rope(key, "by_parts_index");
    CHECK(golden_gap(got.inv_freq(), numbers_of(value[0])) <= 1);
    CHECK(got.attention_factor() == 1);
    ++checked;
  }
  CHECK(checked == 288);
}

TEST_CASE("vLLM's ntk equals vLLM's", "[encodings][golden]") {
  std::map<std::string, int> checked;
  for (const auto& [key, value] : goldens()["vllm"].items()) {
    if (key == "checked") continue;
    INFO(key);
    auto fields = golden_fields(key);
    const bool mixed = fields[""] == "ntk_mixed_b0.625";
    const std::string scaling = "rope_type: ntk_kexue, factor: " + fields["f"] + (mixed ? ", mixed_b: 0.625" : "");
    const auto got = frequencies(scaling, std::stoll(fields["d"]), fields["b"]);
    if (mixed) {  // vLLM computes this divisor in float32 whatever the type: one unit of its last digit
      CHECK(worst_relative(got, numbers_of(value)) < 1.2e-7);
    } else {
      CHECK(golden_gap(got, numbers_of(value)) <= 1);
    }
    ++checked[fields[""]];
  }
  CHECK(checked == std::map<std::string, int>{{"ntk_fixed", 4}, {"ntk_mixed_b0.625", 4}});
  CHECK(goldens()["vllm"].size() == 9);
  // What the file says of vLLM's Llama 3 and proportional is that they equal transformers', which is tested above.
  CHECK(goldens()["vllm"]["checked"] ==
        Json{{"llama3 equals transformers", 96}, {"proportional equals transformers", 3}});
}

TEST_CASE("dynamic linear divides by current length over original length", "[encodings][golden]") {
  const Json& note = goldens()["dynamic_linear_note"];
  const auto rope = rope_with("rope_type: dynamic_linear", note["d"].get<int64_t>(), note["max"].get<int64_t>());
  const auto keys = positions(note["seq"].get<int64_t>());
  auto q = at::zeros({1, 1, 1, 8}, at::kDouble);
  q.slice(-1, 0, 4) = 1;
  const auto rotated = rope->rotate_query(q, {positions(1, 3), keys, 0, nullptr}).flatten();
  for (int64_t i = 0; i < 8; ++i)  // the peer's table holds the cosines of the four pairs twice
    CHECK(golden_gap(rotated[i % 4].item<double>(), note["cos_pos_3"][size_t(i)].get<double>()) <= 1);
  CHECK(note["equals"] == "cos(3*0.5*inv_freq)");
}

TEST_CASE("published models' frequencies", "[encodings][golden]") {
  struct Preset {
    std::string name;
    int64_t head_width;
    std::string yaml;
  };
  const std::vector<Preset> presets = {
      {"llama-3.1 (d=128,b=500000,llama3 f=8 o=8192 low=1 high=4)", 128,
       "rope_theta: 500000.0\nscaling: {factor: 8.0, low_freq_factor: 1.0, high_freq_factor: 4.0, "
       "original_max_position_embeddings: 8192, rope_type: llama3}\n"},
      {"llama-3.2 (d=64,b=500000,llama3 f=32 o=8192)", 64,
       "rope_theta: 500000.0\nscaling: {factor: 32.0, high_freq_factor: 4.0, low_freq_factor: 1.0, "
       "original_max_position_embeddings: 8192, rope_type: llama3}\n"},
      {"qwen2.5/3 yarn (d=128,b=1e6,f=4 o=32768)", 128,
       "rope_theta: 1000000\nscaling: {type: yarn, factor: 4.0, original_max_position_embeddings: 32768}\n"},
      {"gpt-oss yarn (d=64,b=150000,f=32 o=4096 truncate=false)", 64,
       "rope_theta: 150000\nscaling: {rope_type: yarn, factor: 32.0, beta_fast: 32.0, beta_slow: 1.0, "
       "truncate: false, original_max_position_embeddings: 4096}\n"},
      {"deepseek-v3 yarn (rope dim 64,b=10000,f=40 o=4096 mscale=1 all=1)", 64,
       "scaling: {type: yarn, factor: 40, beta_fast: 32, beta_slow: 1, mscale: 1.0, mscale_all_dim: 1.0, "
       "original_max_position_embeddings: 4096}\n"},
      {"gemma3 global (d=256,b=1e6,linear f=8)", 256,
       "rope_theta: 1000000.0\nscaling: {rope_type: linear, factor: 8.0}\n"},
      {"gemma3 local (d=256,b=10000,default)", 256, "scaling: {rope_type: default}\n"},
      {"gemma4 global (d=512,b=1e6,proportional p=0.25)", 512,
       "scaling: {rope_type: proportional, partial_rotary_factor: 0.25, rope_theta: 1000000.0}\n"},
      {"gpt-neox-20b (d=96,b=10000,p=0.25)", 96, "partial_rotary_factor: 0.25\n"},
      {"phi-2 (d=80,b=10000,p=0.4)", 80, "partial_rotary_factor: 0.4\n"},
  };
  CHECK(presets.size() == goldens()["presets"].size());
  for (const auto& preset : presets) {
    INFO(preset.name);
    const Json& want = goldens()["presets"].at(preset.name);
    const auto encoding = build("scheme: rope\n" + preset.yaml, rope_shape(preset.head_width));
    const auto got = fact_numbers(*encoding, "inv_freq");
    CHECK(golden_gap(got, numbers_of(want["inv_freq"])) <= 1);
    CHECK(golden_gap(fact_number(*encoding, "attention_factor"), want["attention_factor"].get<double>()) <= 1);
    CHECK(worst_relative(got, numbers_of(want["inv_freq_f32"])) < (preset.name.rfind("llama", 0) == 0 ? 1.7e-6 : 4e-7));
  }
}

}  // namespace lw::encoding_test
