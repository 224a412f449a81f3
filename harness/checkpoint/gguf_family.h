// GGUF: llama.cpp's metadata and tensor names, as the families of config.json. Metadata become the config that
// the family would have had, so that each family is read in one place; names are one table for all.
#pragma once
#include <memory>
#include <string>

#include "harness/checkpoint/pretrained.h"

namespace lw {

/// @param metadata key to value, tokenizer.* left out or not. @param place for errors. @param source holds the
/// tensors under their GGUF names, shapes row-major.
/// @throws Error(kUnsupported) for an architecture that is not known here, Error(kInput) for a key that is not.
Checkpoint open_gguf_checkpoint(const Json& metadata, const std::string& place, std::unique_ptr<TensorSource> source);

/// Names of an architecture's tensors and how llama.cpp's converter changed them.
DecoderNames gguf_names(const std::string& architecture, const TensorSource& source);

}  // namespace lw
