// A fixture as llama.cpp's converter stores it: GGUF's names, metadata and transforms.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "harness/checkpoint/gguf_family.h"
#include "harness/model/transformer.h"
#include "tests/checkpoint/fixtures.h"

namespace lw::checkpoint_test {

using Names = std::vector<std::pair<std::string, std::string>>;  // theirs and GGUF's, {} the layer

struct Conversion {
  std::string fixture, architecture;
  std::vector<Names> names;
  Json metadata = Json::object();  // beside the shape
  Json config = Json::object();    // changes to the fixture's config, made first
};

/// One for each architecture, and for each form of its settings.
std::vector<Conversion> all_conversions();
/// The fixture "llama", and "llama-linear" without its scaling.
Conversion llama_conversion();
Conversion llama_without_scaling();

/// The fixture before its conversion.
Checkpoint source_of(const Conversion& c);
/// Its tensors and metadata after it.
Tensors tensors_of(const Conversion& c, const Checkpoint& hf);
Json metadata_of(const Conversion& c, const ModelConfig& m, int64_t context);

/// A GGUF file "made.gguf" of these parts.
Checkpoint open_made(const Json& metadata, Tensors tensors);
/// Of the fixtures' tokens.
at::Tensor logits_of(Transformer& model);

}  // namespace lw::checkpoint_test
