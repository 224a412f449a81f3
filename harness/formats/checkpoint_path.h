// Which kind of checkpoint a path names, and a plain message when it names none.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "harness/base/json.h"

namespace lw {

enum class CheckpointKind {
  kFolder,  // Hugging Face: config.json and safetensors
  kGguf,    // a .gguf file, or the first of several
};

/// Decides by content, not by name. A folder has a config.json.
/// @throws Error(kInput) for a missing path, another kind of file (Git LFS pointer, HTML page, pickle, single
/// safetensors file, ...) and a folder without config.json, saying what was found and which path to give instead.
CheckpointKind checkpoint_kind(const std::filesystem::path& path);

/// The weights of a folder: one file, or an index of shards.
struct FolderWeights {
  std::filesystem::path file;
  bool is_index = false;
  std::string note;  // what was left unused; "" for nothing
};
/// Only model.safetensors where it exists, as in transformers; else model.safetensors.index.json.
/// @throws Error(kInput) saying which other weights exist and why they are not read.
FolderWeights folder_weights(const std::filesystem::path& folder);

/// The text of a JSON file; says so when the file is something else (Git LFS pointer, HTML page, empty).
/// @throws Error(kInput).
std::string read_json_text(const std::filesystem::path& path);
/// The same, parsed. @throws Error(kInput).
SortedJson read_json_object(const std::filesystem::path& path);

}  // namespace lw
