// What GGUF metadata and tensors beside the weights mean, and which are refused.
#include <cmath>

#include "tests/checkpoint/gguf_conversion.h"
#include "tests/support.h"

using namespace lw;
using namespace lw::checkpoint_test;
using lw::test::error_of;

TEST_CASE("rope_freqs divides frequencies", "[families]") {
  const Conversion c = llama_without_scaling();
  const Checkpoint hf = source_of(c);
  auto tensors = tensors_of(c, hf);
  tensors["rope_freqs.weight"] = at::full({4}, 4.0);
  const Json metadata = metadata_of(c, hf.model.model, 16);
  const Checkpoint gguf = open_made(metadata, tensors);
  CHECK((logits_of(*load_transformer(hf)) - logits_of(*load_transformer(gguf))).abs().max().item<double>() <= 2e-5);
  tensors["rope_freqs.weight"] = at::full({3}, 4.0);
  CHECK(error_of([&] { open_made(metadata, tensors); }) ==
        "made.gguf: llama: rope_freqs.weight: found 3 numbers; allowed: one a pair, 4");
}

// sparkinfer 81, llama.cpp 5910: 32000 where the key is absent. Rows are the truth, whatever the key says.
TEST_CASE("the size of a GGUF file's vocabulary is the embedding's rows", "[families]") {
  const Conversion c = llama_conversion();
  const Checkpoint hf = source_of(c);
  Json metadata = metadata_of(c, hf.model.model, 16);
  const auto vocabulary = [&] { return open_made(metadata, tensors_of(c, hf)).model.model.vocabulary; };
  CHECK(vocabulary() == 32);
  metadata["llama.vocab_size"] = 32000;
  CHECK(vocabulary() == 32);
  auto tensors = tensors_of(c, hf);
  tensors.erase("token_embd.weight");
  CHECK(error_of([&] { open_made(metadata, tensors); }) ==
        "made.gguf: llama: token_embd.weight: found no such matrix; allowed: one, whose rows are the vocabulary");
}

TEST_CASE("GGUF metadata that nothing reads are refused by name", "[families]") {
  const Conversion c = llama_conversion();
  const Checkpoint hf = source_of(c);
  const auto with = [&](const std::string& key, const Json& value) {
    Json metadata = metadata_of(c, hf.model.model, 16);
    metadata[key] = value;
    return error_of([&] { open_made(metadata, tensors_of(c, hf)); });
  };
  CHECK(with("llama.attention.temperature", 2).find("attention.temperature: found a key that is not known for llama") !=
        std::string::npos);
  CHECK(
      with("llama.rope.scaling.type", "mystery") ==
      "made.gguf: llama: rope.scaling.type: found 'mystery'; allowed: none, linear, yarn, or longrope with its lists");
  CHECK(with("llama.expert_count", 8).find("found a mixture of experts") != std::string::npos);
  CHECK(with("general.architecture", "mamba").find("general.architecture: found 'mamba'; allowed: bloom, ") !=
        std::string::npos);
  for (const std::string name : {"bert", "t5"})
    CHECK(with("general.architecture", name)
              .find("general.architecture: found '" + name +
                    "', which is read only from Hugging Face folders; allowed: bloom, ") != std::string::npos);
  CHECK(with("tokenizer.ggml.model", "llama") == "");
  const double nan = std::nan("");
  for (const char* key : {"rope.freq_base", "rope.scaling.factor", "attention.layer_norm_rms_epsilon"})
    CHECK(with(std::string("llama.") + key, nan) ==
          std::string("made.gguf: llama: ") + key + ": found a value that is not finite; allowed: a number");
  // A list with one number a layer, all alike, is that number.
  CHECK(with("llama.attention.head_count", Json::array({2, 2})) == "");
  CHECK(with("llama.attention.head_count", Json::array({2, 1})).find("allowed: a whole number") != std::string::npos);
}
