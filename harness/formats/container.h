// A checkpoint's tensors, whether from a Hugging Face folder or from a GGUF file.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json.h"
#include "harness/formats/checkpoint_path.h"
#include "harness/formats/gguf.h"
#include "harness/formats/safetensors.h"

namespace lw {

struct ContainerTensor {
  std::string name;
  std::string dtype;           // "F32", "BF16", "Q4_K": the file's own name
  std::vector<int64_t> shape;  // row-major, as torch writes it: [out, in] for a linear layer
  uint64_t count = 0;          // elements
  size_t file = 0;             // index into Container::files()

  std::span<const std::byte> bytes;  // as stored; use Container::raw(), which checks the file first
  const GgmlType* ggml = nullptr;    // GGUF only
};

/// Open files are mapped into memory; tensors are read on demand. Safe to read from several threads.
class Container {
 public:
  /// @param path a folder with config.json and safetensors (one file or shards with an index), or a .gguf file; of
  /// several that hold one model, the first.
  /// @throws Error(kInput), one line naming file, tensor, what was found and allowed.
  explicit Container(const std::filesystem::path& path);

  CheckpointKind kind() const { return kind_; }
  const std::filesystem::path& path() const { return path_; }

  /// By name.
  const std::vector<ContainerTensor>& tensors() const { return tensors_; }
  /// nullptr when absent.
  const ContainerTensor* find(std::string_view name) const;

  /// The values as float32, row-major: exact, except that F64 is rounded. Quantised types are dequantised.
  /// @param out as many elements as the tensor has.
  /// @throws Error(kInput) for other types, for values that are not finite or when the file changed since it was
  /// opened.
  void read_float32(const ContainerTensor& tensor, std::span<float> out) const;
  /// The bytes as stored, at any alignment; they live as long as the container.
  /// @throws Error(kInput) when the file changed since it was opened.
  std::span<const std::byte> raw(const ContainerTensor& tensor) const;

  /// config.json of a folder; nullptr for GGUF.
  const SortedJson* config() const { return config_.get(); }
  /// The file with the metadata; nullptr for a folder.
  const GgufFile* gguf() const { return gguf_.empty() ? nullptr : gguf_.front().get(); }

  /// The files that hold tensors.
  const std::vector<std::filesystem::path>& files() const { return files_; }
  /// What a user should know: an unused index, tensors that the index does not name.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void open_folder();
  void open_shards(const std::filesystem::path& index);
  void add_file(const std::filesystem::path& file);
  void open_gguf();
  const MappedFile& file_of(const ContainerTensor& tensor) const;

  std::filesystem::path path_;
  CheckpointKind kind_;
  std::shared_ptr<const SortedJson> config_;     // null for GGUF
  std::vector<SafetensorsFile> safetensors_;     // in the order of files_
  std::vector<std::unique_ptr<GgufFile>> gguf_;  // likewise
  std::vector<std::filesystem::path> files_;
  std::vector<ContainerTensor> tensors_;
  std::vector<std::string> notes_;
};

}  // namespace lw
