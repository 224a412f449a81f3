#include "harness/formats/container.h"

#include <algorithm>
#include <cmath>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/json_read.h"
#include "harness/base/printable.h"
#include "harness/base/text.h"
#include "harness/formats/dtypes.h"
#include "harness/formats/gguf_parts.h"
#include "harness/formats/shard_index.h"

namespace lw {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const std::string& place, const std::string& what) {
  throw Error(ErrorKind::kInput, place + ": " + what);
}

}  // namespace

Container::Container(const fs::path& path) : path_(path), kind_(checkpoint_kind(path)) {
  if (kind_ == CheckpointKind::kFolder)
    open_folder();
  else
    open_gguf();
  std::sort(tensors_.begin(), tensors_.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
}

void Container::open_folder() {
  config_ = std::make_shared<const SortedJson>(read_json_object(path_ / "config.json"));
  const FolderWeights weights = folder_weights(path_);
  if (!weights.note.empty()) notes_.push_back(weights.note);
  if (weights.is_index)
    open_shards(weights.file);
  else
    add_file(weights.file);
}

void Container::open_shards(const fs::path& index_path) {
  const ShardIndex index = parse_shard_index(read_json_text(index_path), index_path.string());
  for (const auto& path : locate_shards(index_path, index.shards)) add_file(path);
  std::map<std::string, const ContainerTensor*> seen;
  for (const auto& tensor : tensors_) {
    const std::string at = printable(tensor.name);
    const auto [first, is_new] = seen.emplace(tensor.name, &tensor);
    if (!is_new)
      fail(path_.string(),
           at + ": " +
               found_what("in ", index.shards[first->second->file], " and in ", index.shards[tensor.file])
                   .allowed("one file a tensor"));
    const auto named = index.shard_of.find(tensor.name);
    if (named == index.shard_of.end())
      notes_.push_back(at + " is in " + index.shards[tensor.file] + ", but not in the index");
    else if (named->second != index.shards[tensor.file])
      fail(index_path.string(), at + ": found in " + index.shards[tensor.file] + ", where the index says " +
                                    named->second + "; are index and shards of one model?");
  }
  for (const auto& [tensor, shard] : index.shard_of)
    if (seen.count(tensor) == 0)
      fail(index_path.string(), printable(tensor) + ": found nothing of it in " + shard +
                                    ", where the index says it is; are index and shards of one model?");
}

void Container::add_file(const fs::path& path) {
  safetensors_.emplace_back(path);
  for (const auto& entry : safetensors_.back().entries())
    tensors_.push_back(
        {entry.name, entry.dtype, entry.shape, *element_count(entry.shape), files_.size(), entry.bytes, nullptr});
  files_.push_back(path);
}

void Container::open_gguf() {
  gguf_.push_back(std::make_unique<GgufFile>(path_));
  for (auto& part : open_other_gguf_parts(*gguf_.front(), path_)) gguf_.push_back(std::move(part));
  for (const auto& part : gguf_) {
    for (const auto& tensor : part->tensors())
      tensors_.push_back({tensor.name, std::string(tensor.type->name), tensor.shape, *element_count(tensor.shape),
                          files_.size(), tensor.bytes, tensor.type});
    files_.emplace_back(part->file().place());
  }
}

const ContainerTensor* Container::find(std::string_view name) const {
  const auto found =
      std::lower_bound(tensors_.begin(), tensors_.end(), name,
                       [](const ContainerTensor& t, std::string_view wanted) { return t.name < wanted; });
  return found != tensors_.end() && found->name == name ? &*found : nullptr;
}

const MappedFile& Container::file_of(const ContainerTensor& tensor) const {
  return gguf_.empty() ? safetensors_[tensor.file].file() : gguf_[tensor.file]->file();
}

std::span<const std::byte> Container::raw(const ContainerTensor& tensor) const {
  file_of(tensor).require_unchanged();
  return tensor.bytes;
}

void Container::read_float32(const ContainerTensor& tensor, std::span<float> out) const {
  LW_CHECK(out.size() == tensor.count, "room for every element");
  const std::string at = file_of(tensor).place() + ": " + printable(tensor.name);
  const auto bytes = raw(tensor);
  if (tensor.ggml != nullptr)
    dequantise(*tensor.ggml, bytes, out, at);
  else
    float32_from(tensor.dtype, bytes, out, at);
  const auto wrong = std::count_if(out.begin(), out.end(), [](float value) { return !std::isfinite(value); });
  if (wrong > 0) fail(at, found(wrong, " of ", out.size(), " values not finite").allowed("finite ones"));
}

}  // namespace lw
