// A GGUF model in several files, as llama-gguf-split and the gguf package write it: NAME-00001-of-00003.gguf and so on.
// The first part holds the model's metadata, each part some of the tensors.
#pragma once
#include <filesystem>
#include <memory>
#include <vector>

#include "harness/formats/gguf.h"

namespace lw {

/// Opens the other parts of the model that `first` begins, in order; none where the file holds the whole model.
/// @throws Error(kInput) where `first` is another part than the first, has another name than parts have, or states no
/// number of tensors; where parts are missing (all are named) or belong to another model; where a tensor stands in two
/// parts, or all of them hold another number of tensors than stated.
std::vector<std::unique_ptr<GgufFile>> open_other_gguf_parts(const GgufFile& first, const std::filesystem::path& path);

}  // namespace lw
