// Models of text and images: the text model alone, under either name of its tensors.
#include "harness/checkpoint/text_config.h"

#include "tests/checkpoint/fixtures.h"

using namespace lw;
using namespace lw::checkpoint_test;
using lw::test::error_kind_of;
using lw::test::error_of;

namespace {

const FixtureCase& wrapped() { return fixtures().named("gemma3-of-images"); }

at::Tensor logits_of(const Checkpoint& checkpoint) {
  at::NoGradGuard no_grad;
  const auto model = load_transformer(checkpoint);
  const auto tokens_1T = fixtures().tokens_T.unsqueeze(0);
  return model->logits(model->hidden(tokens_1T, at::arange(tokens_1T.size(1), at::kLong).unsqueeze(0)));
}

std::string begin_with(const std::string& name, const std::string& from, const std::string& to) {
  return name.rfind(from, 0) == 0 ? to + name.substr(from.size()) : name;
}

std::string error_of_config(const Change& change) { return error_with("gemma3-of-images", change); }

}  // namespace

TEST_CASE("a text model is read out of a model of images, and what is left out is said", "[families]") {
  const Checkpoint whole = open_case(wrapped());
  CHECK(whole.family->name == "gemma3_text");
  CHECK(origin_of(whole, "model_type") ==
        "gemma3, of which only the text model gemma3_text is read; left out: 34 tensors of other parts, config.json");
  CHECK(origin_of(whole, "hidden_size") == "16, config.json");
  LoadedWeights report;
  load_transformer(whole, &report);
  CHECK(report.ignored.empty());
  CHECK(report.used.front().theirs == "model.embed_tokens.weight");
}

TEST_CASE("tensors of a text model have one of two names", "[families]") {
  const auto expected = logits_of(open_case(wrapped()));
  const auto opened = [](const std::function<std::string(const std::string&)>& rename) {
    Tensors tensors;
    for (const auto& [name, tensor] : tensors_in(*open_safetensors(kFolder + wrapped().weights)))
      REQUIRE(tensors.emplace(rename(name), tensor).second);
    return open_checkpoint(wrapped().config, "c", std::make_unique<MemorySource>(std::move(tensors)));
  };
  const auto newer = [](const std::string& name) {
    return begin_with(begin_with(name, "language_model.model.", "model.language_model."), "vision_tower.",
                      "model.vision_tower.");
  };
  CHECK(logits_of(opened(newer)).equal(expected));
  // Under no name of a text model they are missed.
  CHECK(error_of([&] {
          load_transformer(opened([](const std::string& n) { return begin_with(n, "language_model.", "decoder."); }));
        }).find("file: embed_tokens.weight: found no such tensor") == 0);
  const auto twice = [](const std::string& name) {
    return begin_with(name, "language_model.model.layers.0.input_layernorm", "model.language_model.norm");
  };
  CHECK(error_of([&] { opened(twice); }) ==
        "file: model.language_model.norm.weight: found language_model.model.norm.weight too, another name of the same "
        "tensor; allowed: one of them");
}

TEST_CASE("keys around a text model are known or refused, and agree with its own", "[families]") {
  CHECK(error_of_config([](Json& c) { c["vision_config"] = {{"anything", 1}}; }) == "");
  CHECK(error_of_config(set("fusion_gate", 1))
            .find("gemma3-of-images: fusion_gate: found a key that is not known for "
                  "gemma3 and may change the model") == 0);
  CHECK(error_of_config([](Json& c) {
          c["text_config"]["head_gating"] = 1;
        }).find("gemma3-of-images: text_config: head_gating: found a key that is not known for gemma3_text") == 0);
  CHECK(error_of_config(set("tie_word_embeddings", false)) ==
        "gemma3-of-images: tie_word_embeddings: found false, and true in text_config; allowed: one value");
  // Stated around it alone, it counts: the output weights are then missed.
  CHECK(error_of_config([](Json& c) {
          c["tie_word_embeddings"] = false;
          c["text_config"].erase("tie_word_embeddings");
        }).find("tie_word_embeddings: found false (config.json), and no lm_head.weight in ") != std::string::npos);
  CHECK(error_of_config([](Json& c) { c["text_config"].erase("model_type"); }) == "");
  CHECK(error_of_config(set("text_config", "text")) ==
        "gemma3-of-images: text_config: found \"text\"; allowed: an object");
  CHECK(error_of_config([](Json& c) {
          c["text_config"]["rope_parameters"]["full_attention"]["factor"] = 2;
        }).find("gemma3-of-images: text_config: scaling.full_attention.factor: found an unknown key") == 0);
}

TEST_CASE("other models around a text model are refused by name", "[families]") {
  const auto other = [](Json& config) {
    config["model_type"] = "llava";
    config["text_config"]["model_type"] = "llama";
  };
  CHECK(error_of_config(other) ==
        "gemma3-of-images: model_type: found 'llava' around a text_config of 'llama'; allowed: gemma3 around "
        "gemma3_text, or the text model in a folder of its own");
  CHECK(error_kind_of([&] { open_with("gemma3-of-images", other); }) == ErrorKind::kInput);
}
