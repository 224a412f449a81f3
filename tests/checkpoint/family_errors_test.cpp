// What a family does not understand is refused by name: keys, values, tensors, shapes.
#include <algorithm>
#include <cmath>
#include <functional>

#include "harness/model/transformer.h"
#include "tests/checkpoint/fixtures.h"
#include "tests/support.h"

using namespace lw;
using namespace lw::checkpoint_test;
using lw::test::error_kind_of;
using lw::test::error_of;

namespace {

Checkpoint open_changed(const std::string& name, const std::function<void(Tensors&)>& change) {
  const FixtureCase& c = fixtures().named(name);
  Tensors tensors = tensors_in(*open_safetensors(kFolder + c.weights));
  change(tensors);
  return open_checkpoint(c.config, c.name, std::make_unique<MemorySource>(std::move(tensors)));
}

std::string error_with_tensors(const std::string& name, const std::function<void(Tensors&)>& change) {
  return error_of([&] { load_transformer(open_changed(name, change)); });
}

}  // namespace

TEST_CASE("keys and values that a family does not have are refused by name", "[families]") {
  const auto unknown = error_with("llama", set("head_gating", true));
  CHECK(unknown.rfind("llama: head_gating: found a key that is not known for llama and may change the model", 0) == 0);
  CHECK(
      error_with("llama", set("hidden_act", "mish")) ==
      "llama: hidden_act: found 'mish'; allowed: gelu, gelu_new, gelu_pytorch_tanh, gelu_fast, relu, silu, swish; did "
      "you mean 'swish'?");
  CHECK(error_with("bloom", set("apply_residual_connection_post_layernorm", true)) ==
        "bloom: apply_residual_connection_post_layernorm: found true; allowed: false, since the residual here is what "
        "the norm is given");
  CHECK(error_with("mpt", set("logit_scale", 0.5)).find("mpt: logit_scale: found a value") == 0);
  CHECK(error_with("mpt", set("attn_config", {{"alibi", false}})).find("attn_config.alibi: found false") !=
        std::string::npos);
  CHECK(error_with("mpt", set("attn_config", {{"qk_ln", true}})).find("mpt: attn_config: qk_ln: found true") == 0);
  CHECK(error_with("gemma2", set("layer_types", {"full_attention"})) ==
        "gemma2: layer_types: found 1 word for 2 layers; allowed: one each");
  CHECK(error_with("bert", set("position_embedding_type", "relative_key")).find("found \"relative_key\"") !=
        std::string::npos);
  CHECK(error_with("llama", set("model_type", "lama")).find("did you mean 'llama'?") != std::string::npos);
}

TEST_CASE("every tensor has a use, and every parameter an origin", "[families]") {
  const auto missing = [](const char* name) { return [=](Tensors& t) { t.erase(name); }; };
  CHECK(error_with_tensors("llama", missing("model.layers.1.mlp.up_proj.weight")) ==
        "file: layers.1.mlp.up_proj.weight: found no such tensor, which this model needs");
  CHECK(error_with_tensors("llama", missing("lm_head.weight")).find("no lm_head.weight in file") != std::string::npos);
  const auto extra = [](const char* name) { return [=](Tensors& t) { t[name] = at::zeros({8}); }; };
  CHECK(error_with_tensors("llama", extra("model.layers.0.self_attn.q_proj.bias")) ==
        "file: model.layers.0.self_attn.q_proj.bias: found a tensor of shape [8] that this model has no use for");
  CHECK(error_with_tensors("llama", extra("model.layers.0.self_attn.rotary_emb.inv_freq")) == "");
  const auto reshaped = [](const char* name, std::vector<int64_t> shape) {
    return [=](Tensors& t) { t[name] = at::zeros(shape); };
  };
  CHECK(error_with_tensors("llama", reshaped("model.layers.0.self_attn.k_proj.weight", {16, 16})) ==
        "file: model.layers.0.self_attn.k_proj.weight: found shape [16, 16]; this model needs [8, 16] for "
        "layers_0.k_proj.weight");
  CHECK(error_with_tensors("phi3", reshaped("model.layers.0.self_attn.qkv_proj.weight", {40, 16})) ==
        "file: model.layers.0.self_attn.qkv_proj.weight: found shape [40, 16], of which q_proj of the fused tensor "
        "cannot be taken for layers_0.q_proj.weight");
  CHECK(error_with_tensors("llama", [](Tensors& t) { t["model.norm.weight"][3] = NAN; }) ==
        "file: model.norm.weight: found 1 value that is not finite; allowed: numbers");
}

TEST_CASE("names without the prefix of the body are found too", "[families]") {
  CHECK(error_with_tensors("gpt2", [](Tensors& t) {
          Tensors bare;
          for (const auto& [name, tensor] : t) bare[name.substr(std::string("transformer.").size())] = tensor;
          bare["h.0.attn.bias"] = at::ones({1, 1, 4, 4});
          t = bare;
        }) == "");
}

TEST_CASE("output weights beside tied embeddings are used where they differ", "[families]") {
  const auto with_head = [](double change) {
    return open_changed("llama-biases",
                        [=](Tensors& t) { t["lm_head.weight"] = t["model.embed_tokens.weight"] + change; });
  };
  LoadedWeights report;
  const auto same = with_head(0);
  load_transformer(same, &report);
  CHECK(same.model.model.tied_embeddings);
  CHECK(report.ignored == std::vector<std::string>{"lm_head.weight"});
  const auto other = with_head(1);
  load_transformer(other, &report);
  CHECK_FALSE(other.model.model.tied_embeddings);
  CHECK(report.ignored.empty());
  const auto noted = std::find_if(other.values.begin(), other.values.end(), [](const SourcedValue& v) {
    return v.key == "tie_word_embeddings" && v.value == "false";
  });
  REQUIRE(noted != other.values.end());
  CHECK(noted->origin == "the file: lm_head.weight is there and differs from the embeddings");
}

TEST_CASE("a model without a head gives hidden states and says so when asked for logits", "[families]") {
  const auto model = load_transformer(open_case(fixtures().named("bert-hidden")));
  CHECK(error_kind_of([&] { model->logits(at::zeros({1, 16})); }) == ErrorKind::kInput);
}

TEST_CASE("the position scheme of a checkpoint can be replaced", "[families]") {
  at::NoGradGuard no_grad;
  const Checkpoint gpt2 = open_case(fixtures().named("gpt2"));
  const PositionSetting none = position_on(gpt2, parse_yaml("scheme: none", "test"));
  LoadedWeights report;
  const auto model = load_transformer(gpt2, &report, &none);
  CHECK(report.left_out == std::vector<std::string>{"transformer.wpe.weight"});
  CHECK_FALSE(model->encoding().max_positions().has_value());
  CHECK(model->hidden(fixtures().tokens_T.unsqueeze(0).repeat({1, 2}), at::arange(80).unsqueeze(0)).size(1) == 80);

  // The scaling of a rotary checkpoint, put on by hand, is what its own config would have said.
  const auto plain = open_case(fixtures().named("llama")), scaled = open_case(fixtures().named("llama-yarn"));
  const PositionSetting yarn = position_on(plain, scaled.model.position);
  const auto tokens_1T = fixtures().tokens_T.unsqueeze(0);
  const auto pos_1T = at::arange(tokens_1T.size(1)).unsqueeze(0);
  const auto a = load_transformer(plain, nullptr, &yarn)->hidden(tokens_1T, pos_1T);
  CHECK(a.equal(load_transformer(scaled)->hidden(tokens_1T, pos_1T)));
}

TEST_CASE("every value of a checkpoint has an origin", "[families]") {
  FixtureCase c = fixtures().named("gpt_neox-version-4");
  c.config.erase("use_parallel_residual");
  const Checkpoint checkpoint = open_case(c);
  CHECK(origin_of(checkpoint, "hidden_size") == "16, config.json");
  CHECK(origin_of(checkpoint, "use_parallel_residual") == "true, default of gpt_neox");
  CHECK(origin_of(checkpoint, "head_dim") == "8, hidden_size / num_attention_heads");
}

TEST_CASE("a folder is opened by its config.json and model.safetensors", "[families]") {
  const FixtureCase& c = fixtures().named("llama");
  const test::TempFolder folder;
  write_file(folder / "config.json", c.config.dump());
  write_file(folder / "model.safetensors", read_file(kFolder + c.weights));
  CHECK(open_checkpoint(folder.path()).family->name == "llama");
  write_file(folder / "config.json", "{}");
  CHECK(error_of([&] { open_checkpoint(folder.path()); }) ==
        (folder / "config.json").string() + ": model_type: found nothing; allowed: a value");
}
