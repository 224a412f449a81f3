// A model trained here as a Hugging Face folder that transformers loads with equal logits.
#pragma once
#include <filesystem>
#include <string>

#include "harness/base/tree.h"
#include "harness/model/transformer.h"

namespace lw {

/// The family whose model computes what one of this shape and position scheme does: llama, mistral (a window in
/// every layer), gpt2 or gpt_neox.
/// @param position as a config's `position:` section states it, defaults filled in or not.
/// @throws Error(kUnsupported) naming the first switch that no family has.
std::string export_family(const ModelConfig& model, const Tree& position);

/// Writes config.json and model.safetensors. @param train_length becomes max_position_embeddings.
/// @throws Error(kUnsupported) as above, Error(kRuntime) when a file cannot be written.
void export_checkpoint(const Transformer& model, const Tree& position, int64_t train_length,
                       const std::filesystem::path& folder);

}  // namespace lw
