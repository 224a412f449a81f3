// The GGUF container, versions 2 and 3: typed metadata, then tensors laid end to end.
// Specification: docs/gguf.md of ggml; the checks are those of ggml's reader, and stricter where the specification says
// more.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/mapped_file.h"
#include "harness/formats/gguf_value.h"
#include "harness/formats/quants.h"

namespace lw {

struct GgufTensor {
  std::string name;
  const GgmlType* type = nullptr;
  std::vector<int64_t> shape;        // row-major: the file's order reversed
  std::span<const std::byte> bytes;  // whole blocks, at any alignment
};

struct GgufContents {
  uint32_t version = 0;
  std::map<std::string, GgufValue, std::less<>> metadata;
  std::vector<GgufTensor> tensors;  // in the file's order; they point into the bytes that were parsed
};

/// Checks everything before use. Allocates at most a few times the bytes that are there.
/// @throws Error(kInput): "PLACE: KEY OR TENSOR: what was found; what is allowed"; also for a tensor type
/// whose size is not known here.
GgufContents parse_gguf(std::span<const std::byte> bytes, const std::string& place);

/// A file mapped into memory; the tensors' bytes point into it.
class GgufFile {
 public:
  /// @throws Error(kInput), see parse_gguf.
  explicit GgufFile(const std::filesystem::path& path);

  const std::map<std::string, GgufValue, std::less<>>& metadata() const { return contents_.metadata; }
  /// nullptr when absent.
  const GgufValue* find(std::string_view key) const;
  const std::vector<GgufTensor>& tensors() const { return contents_.tensors; }
  uint32_t version() const { return contents_.version; }
  const MappedFile& file() const { return file_; }

 private:
  MappedFile file_;
  GgufContents contents_;
};

/// Everything but the tokenizer, under the full keys: "llama.context_length".
SortedJson model_metadata(const GgufFile& file);

}  // namespace lw
