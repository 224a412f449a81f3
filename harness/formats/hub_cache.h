// Models of the Hugging Face Hub that are on this machine: the cache that its Python packages and `hf download` keep.
// Layout: <cache>/models--ORG--NAME/refs/REVISION holds a commit, snapshots/COMMIT/ the files. Nothing is downloaded.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace lw {

/// Where a name of a checkpoint leads.
struct CheckpointPlace {
  std::filesystem::path path;  // a folder or a file on this machine
  std::string id;              // "org/name"; "" where the name is a path
  std::string commit;          // of the snapshot; "" where the name is a path

  /// "org/name@COMMIT[/FILE]", which leads to the same files later too; the path where there is no id.
  std::string pinned() const;
};

/// The cache's folder: HF_HUB_CACHE, else HF_HOME/hub, else XDG_CACHE_HOME/huggingface/hub, else
/// ~/.cache/huggingface/hub.
std::filesystem::path hub_cache_folder();

/// Looks up "org/name" or "name", with "@REVISION" and "/FILE" behind it or not, in the cache. The revision is a
/// branch, a tag or a commit, and "main" where none is named. What exists as a path is one.
/// @throws Error(kInput) where the model is in the cache, but not its revision or file.
/// @returns the name as a path where it is in no cache, whether something is there or not.
CheckpointPlace locate_checkpoint(const std::string& name);

/// For messages: the command that brings `name` into the cache; "" where it cannot be an id.
std::string hub_hint(const std::string& name);

}  // namespace lw
