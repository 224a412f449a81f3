// model.safetensors.index.json: which file of a sharded checkpoint holds which tensor.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lw {

struct ShardIndex {
  std::map<std::string, std::string> shard_of;  // tensor -> file name in the index's folder
  std::vector<std::string> shards;              // every file name once, sorted
};

/// metadata.total_size is not compared: it is often wrong for tied tensors.
/// @throws Error(kInput), for example for a shard whose name is not a plain file name ("../x", "/x", "a/x").
ShardIndex parse_shard_index(std::string_view text, const std::string& place);

/// Where the shards lie, in their order. A link may point at a file of the same folder or at the blobs of Hugging
/// Face's cache (FOLDER/../../blobs), which is how that cache builds a snapshot; nowhere else.
/// @throws Error(kInput) for shards that are missing, naming all of them, and for one that is elsewhere.
std::vector<std::filesystem::path> locate_shards(const std::filesystem::path& index,
                                                 const std::vector<std::string>& shards);

}  // namespace lw
