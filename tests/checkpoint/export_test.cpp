// Models trained here as Hugging Face folders: what is written is read back to the same logits, by the families
// that are held against transformers.
#include "harness/checkpoint/export.h"

#include <cstdlib>

#include "harness/checkpoint/layer_position.h"
#include "harness/checkpoint/model_difference.h"
#include "harness/formats/safetensors.h"
#include "tests/checkpoint/fixtures.h"
#include "tests/model/support.h"
#include "tests/support.h"

using namespace lw;
using namespace lw::checkpoint_test;
using lw::test::error_of;

using Catch::Matchers::StartsWith;

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
  ModelConfig some_slide = llama_shape();
  some_slide.windows = {0, 5};
  const std::string yarn = "scheme: rope\nrope_theta: 500\nscaling: {rope_type: yarn, factor: 4, beta_fast: 4}";
  return {
      {"llama", "scheme: rope", llama_shape()},
      {"llama", yarn, biased},
      {"llama", "scheme: rope\nscaling: {rope_type: dynamic, factor: 2}", llama_shape()},
      {"llama", "scheme: rope\nscaling: {rope_type: yarn, max_position_embeddings: 64}", llama_shape()},
      {"mistral", "scheme: rope", sliding},
      {"phi3", "scheme: rope\npartial_rotary_factor: 0.5", llama_shape()},
      {"smollm3", "scheme: rope\nno_rope_layer_interval: 2", llama_shape()},
      {"smollm3", "scheme: layered\nlayers: [rope, none]\nkinds: {rope: {scheme: rope}, none: {scheme: none}}", biased},
      {"smollm3", "scheme: rope", some_slide},
      {"gpt2", "scheme: learned\npositions: 30", plain},
      {"gpt2", "scheme: learned\npositions: 30", untied},
      {"gpt_neox", "scheme: rope\npartial_rotary_factor: 0.5", plain},
      {"gpt_neox", yarn, untied}};
}

FamilyModel described(const ModelConfig& config, const std::string& position) {
  FamilyModel out;
  out.model = config;
  out.position = parse_yaml(position, "test");
  out.train_length = 16;
  return out;
}

/// What a checkpoint's model computes: logits, or hidden states where there is no head. [1, T, V or D]
at::Tensor output_of(const Checkpoint& checkpoint, const at::Tensor& tokens_1T) {
  at::NoGradGuard no_grad;
  const auto pos_1T = model_test::positions(0, tokens_1T.size(1));
  if (!checkpoint.model.encoder.empty()) {
    const auto model = load_encoder_decoder(checkpoint);
    return model->logits(
        model->hidden(tokens_1T, pos_1T, model->encode(tokens_1T.narrow(1, 0, tokens_1T.size(1) - 5))));
  }
  const auto model = load_transformer(checkpoint);
  const auto hidden = model->hidden(tokens_1T, pos_1T);
  return model->config().head ? model->logits(hidden) : hidden;
}

void export_again(const Checkpoint& checkpoint, const std::filesystem::path& folder) {
  if (checkpoint.model.encoder.empty())
    export_checkpoint(*load_transformer(checkpoint), checkpoint.model, folder, checkpoint.family);
  else
    export_checkpoint(*load_encoder_decoder(checkpoint), checkpoint.model, folder, checkpoint.family);
}

/// For tests/parity/read_exports.py.
void write_expected(const std::filesystem::path& folder, const at::Tensor& tokens, const at::Tensor& output) {
  const auto entry = [](const char* name, const char* dtype, const at::Tensor& t) {
    return SafetensorsEntry{name, dtype, t.sizes().vec(), {static_cast<const std::byte*>(t.data_ptr()), t.nbytes()}};
  };
  const auto ids = tokens.contiguous(), values = output.contiguous();
  write_safetensors(folder / "expected.safetensors", {entry("tokens", "I64", ids), entry("output", "F32", values)}, {});
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
    CHECK(export_family(described(e.config, e.position)).name == e.family);
    const test::TempFolder folder;
    export_checkpoint(*model, position, 16, folder.path());
    const Checkpoint checkpoint = open_checkpoint(folder.path());
    CHECK(checkpoint.family->name == e.family);
    CHECK(model_test::apart(logits(*model), logits(*load_transformer(checkpoint))) <= 1e-6);
  }
}

TEST_CASE("every family is exported and read back to equal logits", "[families][export]") {
  const auto tokens_1T = fixtures().tokens_T.unsqueeze(0);
  for (const auto& c : fixtures().cases) {
    INFO(c.name);
    const Checkpoint checkpoint = open_case(c);
    const test::TempFolder folder;
    export_again(checkpoint, folder.path());
    const Checkpoint back = open_checkpoint(folder.path());
    CHECK(back.family == checkpoint.family);
    CHECK(differences(checkpoint.model, back.model).empty());
    CHECK(at::equal(output_of(back, tokens_1T), output_of(checkpoint, tokens_1T)));
  }
}

TEST_CASE("exports for transformers to read", "[families][parity]") {
  // ./run.sh parity loads these with transformers (tests/parity/read_exports.py).
  const char* root = std::getenv("LW_EXPORTS");
  const test::TempFolder own;
  const auto folder_of = [&](const std::string& name) {
    return (root != nullptr ? std::filesystem::path(root) : own.path()) / name;
  };
  int64_t number = 0;
  for (const auto& e : all_exports()) {
    INFO(e.family << " " << e.position);
    const auto folder = folder_of("trained-" + std::to_string(number++));
    const auto model = model_test::small_model(e.position, e.config);
    model->to(at::kFloat);
    export_checkpoint(*model, parse_yaml(e.position, "test"), 16, folder);
    write_expected(folder, model_test::random_tokens(2, 30), logits(*model));
    CHECK(std::filesystem::exists(folder / "config.json"));
  }
  const auto tokens_1T = fixtures().tokens_T.unsqueeze(0);
  for (const auto& c : fixtures().cases) {
    INFO(c.name);
    const Checkpoint checkpoint = open_case(c);
    export_again(checkpoint, folder_of(c.name));
    write_expected(folder_of(c.name), tokens_1T, output_of(checkpoint, tokens_1T));
    CHECK(std::filesystem::exists(folder_of(c.name) / "model.safetensors"));
  }
}

TEST_CASE("a switch without a counterpart is refused by name", "[families][export]") {
  const auto error = [](const ModelConfig& c, const std::string& position) {
    return error_of([&] { export_family(described(c, position)); });
  };
  ModelConfig c = model_test::small_config();
  CHECK(error(c, "scheme: alibi") == "export: position.scheme: found alibi; allowed: learned (gpt2), rope (gpt_neox)");
  CHECK(error(c, "scheme: rope\nscaling: {rope_type: ntk, alpha: 2}").find("position.scaling.rope_type: found 'ntk'") !=
        std::string::npos);
  CHECK(error(c,
              "scheme: rope\nscaling: {rope_type: longrope, factor: 2, short_factor: [1, 1, 1, 1], long_factor: [2, 2, "
              "2, 2], declared_length: 8}") ==
        "export: position.scaling.declared_length: found 8; allowed: nothing (gpt_neox)");
  CHECK(error(c, "scheme: rope\nlayout: interleaved") ==
        "export: position.layout: found interleaved; allowed: half (gpt_neox)");
  c.kv_heads = 2;
  CHECK(error(c, "scheme: rope") == "export: model.kv_heads: found 2; allowed: 4 (gpt_neox)");
  c.norm = NormKind::kRmsNorm;
  CHECK(error(c, "scheme: rope") == "export: model.gated: found false; allowed: true (llama, smollm3)");
  CHECK(error(model_test::small_config(false), "scheme: rope") ==
        "export: model.kind: found encoder; allowed: decoder (gpt_neox)");
  ModelConfig windows = llama_shape();
  windows.windows = {3, 5};
  CHECK_THAT(error(windows, "scheme: rope"), StartsWith("export: model.sliding_window: found 3, 5; allowed: "));
}

TEST_CASE("a wanted family refuses what it cannot express", "[families][export]") {
  const Checkpoint llama = open_case(fixtures().named("llama")), t5 = open_case(fixtures().named("t5"));
  const test::TempFolder folder;
  const auto error = [&](const Checkpoint& checkpoint, const std::string& family) {
    return error_of([&] {
      export_checkpoint(*load_transformer(llama), checkpoint.model, folder.path(), &family_named(family, "test"));
    });
  };
  CHECK(error(llama, "bloom").find("export: model.norm: found rmsnorm; allowed: layernorm (bloom)") == 0);
  CHECK(error(llama, "t5") == "export as t5: model.stacks: found 1; allowed: an encoder and a decoder");
  CHECK(error(t5, "llama") == "export: model.stacks: found 2; allowed: 1 (llama)");
}

TEST_CASE("short forms of a position section are written out a layer at a time", "[families][export]") {
  const auto layer = [](const std::string& yaml, int64_t l) {
    return to_yaml(layer_position(parse_yaml(yaml, "test"), l));
  };
  const std::string interval = "scheme: rope\nrope_theta: 500\nno_rope_layer_interval: 2\nquery_temperature:";
  CHECK(layer(interval, 0) == to_yaml(parse_yaml("scheme: rope\nrope_theta: 500", "test")));
  CHECK(layer(interval, 1) == to_yaml(parse_yaml("scheme: none", "test")));
  const std::string types =
      "scheme: rope\nrope_theta: 500\nlayer_types: [sliding_attention, full_attention]\n"
      "rope_local_base_freq: 20\nscaling: {rope_type: linear, factor: 4}";
  CHECK(layer(types, 0) == to_yaml(parse_yaml("scheme: rope\nrope_theta: 20", "test")));
  CHECK(layer(types, 3) ==
        to_yaml(parse_yaml("scheme: rope\nrope_theta: 500\nscaling: {rope_type: linear, factor: 4}", "test")));
}
