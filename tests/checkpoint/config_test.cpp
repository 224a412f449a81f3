// config.json as families read it: the spellings of a value, null, types, bounds, and what is filled in.
#include "harness/model/transformer.h"
#include "tests/checkpoint/fixtures.h"

using namespace lw;
using namespace lw::checkpoint_test;
using lw::test::error_kind_of;
using lw::test::error_of;

namespace {

/// A case whose keys have other names.
Checkpoint renamed(const std::string& name, const std::vector<std::pair<const char*, const char*>>& keys) {
  return open_with(name, [&](Json& config) {
    for (const auto& [from, to] : keys) {
      REQUIRE(config.contains(from));
      config[to] = config[from];
      config.erase(from);
    }
  });
}

}  // namespace

TEST_CASE("sizes are found under the names of every family", "[families]") {
  const auto same = [](const Checkpoint& a, const Checkpoint& b) {
    const ModelConfig &x = a.model.model, &y = b.model.model;
    return x.width == y.width && x.layers == y.layers && x.heads == y.heads && x.kv_heads == y.kv_heads &&
           x.head_width == y.head_width && x.ffn == y.ffn && x.vocabulary == y.vocabulary &&
           a.model.train_length == b.model.train_length;
  };
  const Checkpoint gpt2 = open_case(fixtures().named("gpt2"));
  CHECK(gpt2.model.model.width == 16);
  CHECK(gpt2.model.train_length == 40);
  CHECK(same(gpt2, renamed("gpt2", {{"n_embd", "hidden_size"},
                                    {"n_layer", "num_hidden_layers"},
                                    {"n_head", "num_attention_heads"},
                                    {"n_positions", "max_position_embeddings"}})));
  CHECK(same(gpt2, renamed("gpt2", {{"n_embd", "d_model"}, {"n_layer", "n_layers"}, {"n_head", "n_heads"}})));
  CHECK(same(gpt2, renamed("gpt2", {{"n_positions", "n_ctx"}})));
  CHECK(same(gpt2, renamed("gpt2", {{"n_embd", "n_embed"}, {"n_layer", "num_layers"}, {"n_head", "num_heads"}})));
  const Checkpoint mpt = open_case(fixtures().named("mpt"));
  CHECK(same(mpt, renamed("mpt", {{"d_model", "hidden_size"}, {"max_seq_len", "max_position_embeddings"}})));
  const Checkpoint llama = open_case(fixtures().named("llama"));
  CHECK(same(llama, renamed("llama", {{"head_dim", "d_kv"}, {"max_position_embeddings", "seq_length"}})));
  CHECK(same(llama, renamed("llama", {{"intermediate_size", "d_ff"}})));
  CHECK(same(gpt2, open_with("gpt2", set("n_ctx", 40))));  // the first files have both
  CHECK(error_with("gpt2", set("n_ctx", 1024)) ==
        "gpt2: n_ctx: found 1024 beside n_positions: 40; allowed: one value for both");
  CHECK(error_with("gpt2", set("hidden_size", 32)) ==
        "gpt2: n_embd: found 16 beside hidden_size: 32; allowed: one value for both");
}

TEST_CASE("null counts as absent, but switches off a window or a cap that has a default", "[families]") {
  for (const char* key : {"rope_scaling", "pretraining_tp", "head_dim", "eos_token_id", "key_from_elsewhere"}) {
    INFO(key);
    CHECK(error_with("llama", set(key, nullptr)) == "");
  }
  CHECK(open_with("llama", set("num_key_value_heads", nullptr)).model.model.kv_heads == 2);
  CHECK(open_with("gpt2", set("n_inner", nullptr)).model.model.ffn == 64);
  CHECK(open_with("mistral", set("sliding_window", nullptr)).model.model.windows.empty());
  CHECK(open_with("mistral", [](Json& c) { c.erase("sliding_window"); }).model.model.windows ==
        std::vector<int64_t>{4096, 4096});
  CHECK(open_with("gemma2", set("final_logit_softcapping", nullptr)).model.model.logit_softcap == 0);
  CHECK(open_with("gemma2", [](Json& c) { c.erase("final_logit_softcapping"); }).model.model.logit_softcap == 30);
}

TEST_CASE("defaults are the family's own", "[families]") {
  const auto bare = [](const std::string& name, const std::vector<const char*>& keys) {
    return open_with(name, [&](Json& config) {
      for (const char* key : keys) config.erase(key);
    });
  };
  CHECK(origin_of(bare("llama", {"rms_norm_eps"}), "rms_norm_eps") == "1e-06, default of llama");
  CHECK(origin_of(bare("phi3", {"rms_norm_eps"}), "rms_norm_eps") == "1e-05, default of phi3");
  CHECK(origin_of(bare("bert", {"layer_norm_eps"}), "layer_norm_eps") == "1e-12, default of bert");
  CHECK(origin_of(bare("llama", {"max_position_embeddings"}), "max_position_embeddings") == "2048, default of llama");
  CHECK(origin_of(bare("qwen2", {"max_position_embeddings"}), "max_position_embeddings") == "32768, default of qwen2");
  CHECK(origin_of(bare("gemma", {"hidden_activation", "hidden_act"}), "hidden_activation") ==
        "\"gelu_pytorch_tanh\", default of gemma");
  CHECK(origin_of(bare("smollm3", {"rope_parameters"}), "rope_theta") == "2000000, default of smollm3");
  CHECK(origin_of(bare("llama", {"rope_parameters"}), "rope_theta") == "10000, default of llama");
  CHECK(origin_of(bare("gpt_neox", {"rope_parameters"}), "partial_rotary_factor") == "0.25, default of gpt_neox");
  CHECK(origin_of(bare("phi", {"rope_parameters"}), "partial_rotary_factor") == "0.5, default of phi");
  CHECK(origin_of(bare("qwen3", {"head_dim"}), "head_dim") == "128, default of qwen3");
  CHECK(origin_of(bare("llama", {"head_dim"}), "head_dim") == "8, hidden_size / num_attention_heads");
  CHECK(origin_of(bare("gemma3_text", {"rope_parameters"}), "rope_theta") == "1000000, default of gemma3_text");
  CHECK(origin_of(bare("gemma3_text", {"rope_parameters"}), "rope_local_base_freq") == "10000, default of gemma3_text");
  CHECK(bare("bloom", {"seq_length"}).model.train_length == 0);
}

TEST_CASE("values of another type or out of range are refused", "[families]") {
  const auto llama = [](const char* key, const Json& value) { return error_with("llama", set(key, value)); };
  CHECK(llama("hidden_size", 16.0) == "");
  CHECK(llama("rms_norm_eps", 1) == "");
  CHECK(llama("hidden_size", 16.5) == "llama: hidden_size: found 16.5; allowed: a whole number");
  CHECK(llama("hidden_size", "16") == "llama: hidden_size: found \"16\"; allowed: a whole number");
  CHECK(llama("hidden_size", true) == "llama: hidden_size: found true; allowed: a whole number");
  CHECK(llama("hidden_size", {16}) == "llama: hidden_size: found [16]; allowed: a whole number");
  CHECK(llama("rms_norm_eps", false) == "llama: rms_norm_eps: found false; allowed: a number");
  CHECK(llama("attention_bias", 0) == "llama: attention_bias: found 0; allowed: true or false");
  CHECK(llama("hidden_act", 3) == "llama: hidden_act: found 3; allowed: a text");
  CHECK(llama("max_position_embeddings", 1e30) ==
        "llama: max_position_embeddings: found 1e+30; allowed: a whole number");
  CHECK(llama("max_position_embeddings", 0) == "llama: max_position_embeddings: found 0; allowed: 1 or more");
  CHECK(llama("max_position_embeddings", int64_t{1} << 50) ==
        "llama: max_position_embeddings: found 1125899906842624; allowed: 1 to 1099511627776");
  CHECK(llama("num_attention_heads", 0) == "llama: num_attention_heads: found 0; allowed: 1 or more");
  CHECK(llama("num_hidden_layers", -2) == "llama: num_hidden_layers: found -2; allowed: 1 or more");
  CHECK(llama("num_key_value_heads", 3) ==
        "llama: num_key_value_heads: found 3; allowed: a divisor of num_attention_heads (2)");
  CHECK(error_with("llama",
                   [](Json& c) {
                     c.erase("head_dim");
                     c["hidden_size"] = 15;
                   }) ==
        "llama: hidden_size: found 15, which is not a multiple of num_attention_heads (2); allowed: a multiple, or "
        "head_dim");
}

TEST_CASE("what no family computes is refused with its reason", "[families]") {
  const auto llama = [](const char* key, const Json& value) { return error_with("llama", set(key, value)); };
  CHECK(llama("quantization_config", {{"bits", 4}}) ==
        "llama: quantization_config: found quantised weights; allowed: none, since those are read only from GGUF "
        "files");
  CHECK(llama("pruned_heads", Json::object()) == "");
  CHECK(llama("pruned_heads", {{"1", {0}}}) ==
        "llama: pruned_heads: found {\"1\":[0]}; allowed: {}, since layers have the same number of heads");
  CHECK(llama("add_cross_attention", true) ==
        "llama: add_cross_attention: found true; allowed: false, since nothing is attended to but the sequence "
        "itself");
  CHECK(llama("tie_encoder_decoder", true) ==
        "llama: tie_encoder_decoder: found true; allowed: false, since encoder and decoder have weights of their own");
  CHECK(error_with("bert", set("is_decoder", true)) ==
        "bert: is_decoder: found true; allowed: false, since the model looks both ways");
  CHECK(llama("rope_thetas", 1e6) ==
        "llama: rope_thetas: found a key that is not known for llama and may change the model; allowed: known "
        "keys; did you mean 'rope_theta'?");
  for (const char* key : {"attention_dropout", "use_cache", "id2label", "top_k", "eos_token_id", "auto_map",
                          "_attn_implementation", "name_or_path", "is_decoder"}) {
    INFO(key);
    CHECK(llama(key, {1, 2}) == "");
  }
}

TEST_CASE("a config far larger than its weights is refused before room is taken", "[families]") {
  const auto refused = [](const std::string& name, const char* key, const Json& value) {
    INFO(name << " " << key);
    const std::string error = error_with(name, set(key, value));
    CHECK(error.find("families/" + name + ".safetensors: found ") != std::string::npos);
    CHECK(error.find(" in the model that the config describes; are they of one model?") != std::string::npos);
  };
  refused("llama", "vocab_size", 1 << 28);
  refused("llama", "intermediate_size", 1 << 24);
  refused("llama", "num_attention_heads", 1 << 16);
  refused("llama", "head_dim", 1 << 24);
  refused("gpt2", "n_positions", int64_t{1} << 40);
  refused("bert", "max_position_embeddings", int64_t{1} << 40);
  refused("t5", "d_ff", 1 << 24);
  refused("t5", "num_decoder_layers", 4096);
  CHECK(error_with("llama", set("vocab_size", 1 << 30)) ==
        "llama: vocab_size: found 1073741824; allowed: 1 to 268435456");
  CHECK(error_with("llama", set("num_hidden_layers", int64_t{1} << 40)) ==
        "llama: num_hidden_layers: found 1099511627776; allowed: 1 to 4096");
}

TEST_CASE("a config.json with a key twice, or no number where one stands, is refused", "[families]") {
  const test::TempFolder folder;
  const FixtureCase& c = fixtures().named("llama");
  write_file(folder / "model.safetensors", read_file(kFolder + c.weights));
  const std::string good = c.config.dump(), place = (folder / "config.json").string() + ": ";
  const auto error = [&](const std::string& more) {
    write_file(folder / "config.json", good.substr(0, good.size() - 1) + more + "}");
    const std::string text = error_of([&] { open_checkpoint(folder.path()); });
    REQUIRE(text.rfind(place, 0) == 0);
    return text.substr(place.size());
  };
  CHECK(error(",\"hidden_size\":16") == "hidden_size: found twice; each key may stand once");
  CHECK(error(",\"rope_scaling\":{\"factor\":2,\"factor\":4}") == "factor: found twice; each key may stand once");
  for (const char* literal : {"NaN", "Infinity", "-Infinity", "1e400", "0x10", "01"}) {
    INFO(literal);
    CHECK(error(std::string(",\"rope_theta\":") + literal).rfind("not JSON: ", 0) == 0);
  }
}

TEST_CASE("numbers of GGUF metadata are shown as the float32 that they are", "[families]") {
  FamilyConfig config(Json{{"eps", double{1e-5F}}, {"half", 0.5}, {"whole", 4.0}, {"fine", 1e-5}}, "llama", "f");
  for (const char* key : {"eps", "half", "whole", "fine"}) config.number({key}, std::nullopt);
  std::vector<std::string> shown;
  for (const auto& value : config.values()) shown.push_back(value.value);
  CHECK(shown == std::vector<std::string>{"1e-05", "0.5", "4.0", "1e-05"});
}
