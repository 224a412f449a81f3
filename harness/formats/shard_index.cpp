#include "harness/formats/shard_index.h"

#include <set>
#include <system_error>

#include "harness/base/error.h"
#include "harness/base/json_read.h"
#include "harness/base/printable.h"
#include "harness/base/text.h"

namespace lw {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void refuse_index(const std::string& place, const std::string& what) {
  throw Error(ErrorKind::kInput, place + ": " + what);
}

bool is_plain_name(const std::string& name) {
  if (name.empty() || name == "." || name == ".." || name.find_first_of("/\\:") != std::string::npos) return false;
  for (const char c : name)
    if (static_cast<unsigned char>(c) < 0x20) return false;
  return true;
}

}  // namespace

ShardIndex parse_shard_index(std::string_view text, const std::string& place) {
  const SortedJson json = parse_sorted_json(text, place);
  if (!json.is_object()) refuse_index(place, found_what(json_shown(json)).allowed("an object with weight_map"));
  const auto map = json.find("weight_map");
  if (map == json.end())
    refuse_index(place, "weight_map: found nothing; allowed: an object of tensors and their files");
  if (!map->is_object() || map->empty())
    refuse_index(place, "weight_map: " + found_what(json_shown(*map)).allowed("an object of tensors and their files"));
  ShardIndex index;
  std::set<std::string> shards;
  for (const auto& [tensor, file] : map->items()) {
    const std::string at = place + ": weight_map: " + printable(tensor);
    const auto* shard = file.get_ptr<const std::string*>();
    if (shard == nullptr || !is_plain_name(*shard))
      refuse_index(at, found_what(json_shown(file)).allowed("the name of a file in the same folder"));
    if (shard->size() < 12 || shard->compare(shard->size() - 12, 12, ".safetensors") != 0)
      refuse_index(at, found_what(json_shown(file)).allowed("the name of a .safetensors file"));
    index.shard_of.emplace(tensor, *shard);
    shards.insert(*shard);
  }
  index.shards.assign(shards.begin(), shards.end());
  return index;
}

fs::path locate_shard(const fs::path& index, const std::string& shard) {
  const fs::path folder = index.has_parent_path() ? index.parent_path() : fs::path(".");
  const fs::path path = folder / shard;
  std::error_code error;
  if (!fs::exists(path, error))
    refuse_index(index.string(), "names " + shard +
                                     (fs::is_symlink(path, error) ? ", a link to a file that is not there"
                                                                  : ", which is not in the folder") +
                                     "; is the download complete?");
  if (!fs::is_symlink(path, error)) return path;
  const fs::path target = fs::canonical(path, error).parent_path();
  const fs::path home = fs::canonical(folder, error), blobs = fs::weakly_canonical(home / ".." / ".." / "blobs", error);
  if (target != home && target != blobs)
    refuse_index(index.string(),
                 "names " + shard + ", a link that leaves the folder; allowed: files of the same folder");
  return path;
}

}  // namespace lw
