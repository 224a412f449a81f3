// Models trained here as Hugging Face folders: what is written is read back to the same logits, by the families
// that are held against transformers.
#include "harness/checkpoint/export.h"

#include <cstdlib>

#include "harness/formats/safetensors.h"
#include "tests/checkpoint/fixtures.h"
#include "tests/model/support.h"
#include "tests/support.h"

using namespace lw;
using lw::test::error_of;

namespace {

ModelConfig llama_shape() {
  ModelConfig c = model_test::small_config();
  c.norm = NormKind::kRmsNorm;
  c.gated = true;
  c.bias = false;
  c.activation = Activation::kSilu;
  c.kv_heads = 2;
  return c;
}

struct Export {
  std::string family, position;
  ModelConfig config;
};

std::vector<Export> all_exports() {
  ModelConfig plain = model_test::small_config(), untied = plain, biased = llama_shape(), sliding = llama_shape();
  untied.tied_embeddings = false;
  untied.activation = Activation::kRelu;
  biased.bias = true;
  biased.tied_embeddings = false;
  sliding.windows = {5, 5};
  const std::string yarn = "scheme: rope\nrope_theta: 500\nscaling: {rope_type: yarn, factor: 4, beta_fast: 4}";
  return {{"llama", "scheme: rope", llama_shape()},
          {"llama", yarn, biased},
          {"mistral", "scheme: rope", sliding},
          {"gpt2", "scheme: learned\npositions: 30", plain},
          {"gpt2", "scheme: learned\npositions: 30", untied},
          {"gpt_neox", "scheme: rope\npartial_rotary_factor: 0.5", plain},
          {"gpt_neox", yarn, untied}};
}

at::Tensor logits(Transformer& model) {
  at::NoGradGuard no_grad;
  return model.logits(model.hidden(model_test::random_tokens(2, 30), model_test::positions(0, 30)));
}

}  // namespace

TEST_CASE("an exported model is read back to equal logits", "[families][export]") {
  for (const auto& e : all_exports()) {
    INFO(e.family << " " << e.position);
    const Tree position = parse_yaml(e.position, "test");
    const auto model = model_test::small_model(e.position, e.config);
    model->to(at::kFloat);
    CHECK(export_family(e.config, position) == e.family);
    const test::TempFolder folder;
    export_checkpoint(*model, position, 16, folder.path());
    const Checkpoint checkpoint = open_checkpoint(folder.path());
    CHECK(checkpoint.family->name == e.family);
    CHECK(model_test::apart(logits(*model), logits(*load_transformer(checkpoint))) <= 1e-6);
  }
}

TEST_CASE("exports for transformers to read", "[families][parity]") {
  // ./run.sh parity loads these with transformers (tests/parity/read_exports.py).
  const char* root = std::getenv("LW_EXPORTS");
  const test::TempFolder own;
  int64_t number = 0;
  for (const auto& e : all_exports()) {
    INFO(e.family << " " << e.position);
    const auto folder = (root != nullptr ? std::filesystem::path(root) : own.path()) / std::to_string(number++);
    const auto model = model_test::small_model(e.position, e.config);
    model->to(at::kFloat);
    export_checkpoint(*model, parse_yaml(e.position, "test"), 16, folder);
    const auto tokens = model_test::random_tokens(2, 30).contiguous();
    const auto out = logits(*model).contiguous();
    const auto entry = [](const char* name, const char* dtype, const at::Tensor& t) {
      return SafetensorsEntry{name, dtype, t.sizes().vec(), {static_cast<const std::byte*>(t.data_ptr()), t.nbytes()}};
    };
    write_safetensors(folder / "expected.safetensors", {entry("tokens", "I64", tokens), entry("logits", "F32", out)},
                      {});
    CHECK(std::filesystem::exists(folder / "config.json"));
  }
}

TEST_CASE("a switch without a counterpart is refused by name", "[families][export]") {
  const auto error = [](const ModelConfig& c, const std::string& position) {
    return error_of([&] { export_family(c, parse_yaml(position, "test")); });
  };
  ModelConfig c = model_test::small_config();
  CHECK(error(c, "scheme: alibi") == "export: position.scheme: found alibi; allowed: rope, learned");
  CHECK(error(c, "scheme: rope\nscaling: {rope_type: ntk, alpha: 2}").find("position.scaling.rope_type: found ntk") !=
        std::string::npos);
  CHECK(error(c, "scheme: rope\nlayout: interleaved") == "export: position.layout: found interleaved; allowed: half");
  c.kv_heads = 2;
  CHECK(error(c, "scheme: rope") == "export: model.kv_heads: found 2; allowed: as many as heads (GPT-NeoX)");
  c.norm = NormKind::kRmsNorm;
  CHECK(error(c, "scheme: rope") ==
        "export: model.gated: found false with rmsnorm; allowed: true (LLaMA), or layernorm (GPT-NeoX)");
  CHECK(error(c, "scheme: learned") == "export: model.norm: found rmsnorm; allowed: layernorm (GPT-2)");
  CHECK(error(llama_shape(), "scheme: rope\npartial_rotary_factor: 0.5") ==
        "export: position.partial_rotary_factor: found 0.5 with rmsnorm; allowed: 1 (LLaMA)");
  CHECK(error(model_test::small_config(false), "scheme: rope") ==
        "export: model.kind: found encoder; allowed: decoder");
}
