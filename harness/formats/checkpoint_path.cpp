#include "harness/formats/checkpoint_path.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <system_error>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/json_read.h"
#include "harness/base/mapped_file.h"
#include "harness/base/text.h"
#include "harness/formats/file_kind.h"
#include "harness/formats/hub_cache.h"

namespace lw {
namespace fs = std::filesystem;
namespace {

constexpr const char* kAllowed = "a folder with config.json and safetensors, or a .gguf file";
constexpr const char* kSingleFile = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";

[[noreturn]] void fail(const fs::path& path, const std::string& what) {
  throw Error(ErrorKind::kInput, path.string() + ": " + what);
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// Names in a folder, sorted.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    names.push_back(it->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> ending(const std::vector<std::string>& names, const std::vector<std::string>& ends) {
  std::vector<std::string> out;
  for (const auto& name : names)
    if (std::any_of(ends.begin(), ends.end(), [&](const auto& end) { return ends_with(name, end); }))
      out.push_back(name);
  return out;
}

/// At most three names, and how many more.
std::string some(const std::vector<std::string>& names) {
  std::vector<std::string> first(names.begin(), names.begin() + std::min<std::ptrdiff_t>(3, std::ssize(names)));
  return join(first) + (names.size() > 3 ? text(" and ", names.size() - 3, " more") : "");
}

[[noreturn]] void refuse_missing(const fs::path& path) {
  constexpr const char* kNames =
      "a folder with config.json and safetensors, a .gguf file, or the id of a model in the Hugging Face cache";
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!is_there(parent))
    fail(path, found_what("nothing there, and no folder ", parent.string()).allowed(kNames) + hub_hint(path.string()));
  const std::string near = did_you_mean(path.filename().string(), names_in(parent));
  const bool bare = !path.has_parent_path();
  fail(path, found_what("nothing there").allowed(kNames) + (near.empty() && bare ? hub_hint(path.string()) : near));
}

[[noreturn]] void refuse_file(const fs::path& path, std::span<const std::byte> bytes) {
  const std::string kind = recognised_kind(bytes);
  if (kind == "a safetensors file")
    fail(path, "found " + kind + " alone; name the folder that has its config.json too");
  if (path.filename() == "config.json") fail(path, "found the config alone; name its folder");
  fail(path, found_what(kind.empty() ? "a file of an unknown kind" : kind).allowed(kAllowed));
}

/// Reports why a folder without config.json is not a checkpoint, and where one may be.
[[noreturn]] void refuse_folder(const fs::path& folder) {
  const auto names = names_in(folder);
  if (names.empty()) fail(folder, found_what("an empty folder").allowed(kAllowed));
  const auto has = [&](const char* name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  const std::string none = "found no config.json";
  if (const auto gguf = ending(names, {".gguf"}); !gguf.empty())
    fail(folder, none + ", but " + some(gguf) + "; name the .gguf file itself");
  if (has("adapter_config.json"))
    fail(folder, none + ", but adapter_config.json: an adapter (LoRA) is no whole model; merge it into its base first");
  if (has("params.json"))
    fail(folder, none +
                     ", but params.json: weights in their author's own form are not read; convert them to Hugging "
                     "Face's");
  for (const auto& name : names) {  // one below, or the snapshots of a download cache two below
    if (is_there(folder / name / "config.json"))
      fail(folder, none + "; did you mean '" + (folder / name).string() + "'?");
    for (const auto& below : name == "snapshots" ? names_in(folder / name) : std::vector<std::string>{})
      if (is_there(folder / name / below / "config.json"))
        fail(folder, none + "; did you mean '" + (folder / name / below).string() + "'?");
  }
  if (has(".git")) fail(folder, none + ", but a git repository (" + some(names) + "); name the folder of a model");
  fail(folder, none + " in a folder with " + some(names) + "; allowed: " + kAllowed);
}

}  // namespace

CheckpointKind checkpoint_kind(const fs::path& path) {
  if (!is_there(path)) refuse_missing(path);
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    if (!is_there(path / "config.json")) refuse_folder(path);
    return CheckpointKind::kFolder;
  }
  const MappedFile file(path);
  const auto bytes = file.bytes();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.substr(0, 4) != "GGUF") refuse_file(path, bytes);
  return CheckpointKind::kGguf;
}

FolderWeights folder_weights(const fs::path& folder) {
  const bool has_index = is_there(folder / kIndex);
  if (is_there(folder / kSingleFile))
    return {folder / kSingleFile, false,
            has_index ? text(kIndex, " is not used, since ", kSingleFile, " is there") : ""};
  if (has_index) return {folder / kIndex, true, ""};
  const auto names = names_in(folder);
  const std::string none = std::string("found no ") + kSingleFile;
  if (const auto shards = ending(names, {".safetensors"}); !shards.empty())
    fail(folder, none + " and no " + kIndex + ", but " + some(shards) + "; is the download complete?");
  if (const auto pickles = ending(names, {".bin", ".pt", ".pth", ".ckpt"}); !pickles.empty())
    fail(folder, none + ", but " + some(pickles) +
                     ": pickles are not read, since unpickling runs code from the file; save the model as safetensors");
  if (const auto others = ending(names, {".h5", ".msgpack", ".onnx", ".ot"}); !others.empty())
    fail(folder, none + ", but " + some(others) +
                     ": weights of another framework are not read; save the model as "
                     "safetensors");
  if (const auto gguf = ending(names, {".gguf"}); !gguf.empty())
    fail(folder, none + ", but " + some(gguf) + "; name the .gguf file itself");
  fail(folder, none + "; is the download complete?");
}

std::string read_json_text(const fs::path& path) {
  std::string text = read_file(path);
  const size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string::npos || text[start] != '{') {
    const std::string kind = recognised_kind(std::as_bytes(std::span(text)));
    if (!kind.empty()) fail(path, "found " + kind);
  }
  return text;
}

SortedJson read_json_object(const fs::path& path) {
  SortedJson json = parse_sorted_json(read_json_text(path), path.string());
  if (!json.is_object()) fail(path, found_what(json_shown(json)).allowed("an object"));
  return json;
}

}  // namespace lw
