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

[[noreturn]] void fail_index(const std::string& place, const std::string& what) {
  throw Error(ErrorKind::kInput, place + ": " + what);
}

bool is_plain_name(const std::string& name) {
  if (name.empty() || name == "." || name == ".." || name.find_first_of("/\\:") != std::string::npos) return false;
  for (const char c : name)
    if (static_cast<unsigned char>(c) < 0x20) return false;
  return true;
}

fs::path folder_of(const fs::path& index) { return index.has_parent_path() ? index.parent_path() : fs::path("."); }

void require_near(const fs::path& index, const std::string& shard, const fs::path& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return;
  const fs::path target = fs::canonical(path, error).parent_path(), home = fs::canonical(folder_of(index), error),
                 blobs = fs::weakly_canonical(home / ".." / ".." / "blobs", error);
  if (target != home && target != blobs)
    fail_index(index.string(), "names " + shard + ", a link that leaves the folder; allowed: files of the same folder");
}

}  // namespace

ShardIndex parse_shard_index(std::string_view text, const std::string& place) {
  const SortedJson json = parse_sorted_json(text, place);
  if (!json.is_object()) fail_index(place, found_what(json_shown(json)).allowed("an object with weight_map"));
  const auto map = json.find("weight_map");
  if (map == json.end()) fail_index(place, "weight_map: found nothing; allowed: an object of tensors and their files");
  if (!map->is_object() || map->empty())
    fail_index(place, "weight_map: " + found_what(json_shown(*map)).allowed("an object of tensors and their files"));
  ShardIndex index;
  std::set<std::string> shards;
  for (const auto& [tensor, file] : map->items()) {
    const std::string at = place + ": weight_map: " + printable(tensor);
    const auto* shard = file.get_ptr<const std::string*>();
    if (shard == nullptr || !is_plain_name(*shard))
      fail_index(at, found_what(json_shown(file)).allowed("the name of a file in the same folder"));
    if (shard->size() < 12 || shard->compare(shard->size() - 12, 12, ".safetensors") != 0)
      fail_index(at, found_what(json_shown(file)).allowed("the name of a .safetensors file"));
    index.shard_of.emplace(tensor, *shard);
    shards.insert(*shard);
  }
  index.shards.assign(shards.begin(), shards.end());
  return index;
}

std::vector<fs::path> locate_shards(const fs::path& index, const std::vector<std::string>& shards) {
  const fs::path folder = folder_of(index);
  std::vector<std::string> absent, dangling;
  std::vector<fs::path> paths;
  for (const auto& shard : shards) {
    std::error_code error;
    const fs::path path = paths.emplace_back(folder / shard);
    if (!fs::exists(path, error)) (fs::is_symlink(path, error) ? dangling : absent).push_back(shard);
  }
  std::vector<std::string> faults;
  if (!absent.empty())
    faults.push_back(join(absent) + ", which " + (absent.size() == 1 ? "is" : "are") + " not in the folder");
  if (!dangling.empty())
    faults.push_back(join(dangling) + (dangling.size() == 1 ? ", a link to a file that is not there"
                                                            : ", links to files that are not there"));
  if (!faults.empty()) fail_index(index.string(), "names " + join(faults, "; and ") + "; is the download complete?");
  for (size_t i = 0; i < shards.size(); ++i) require_near(index, shards[i], paths[i]);
  return paths;
}

}  // namespace lw
