// The safetensors container: 8 bytes header size (little endian), JSON header, tensor bytes.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/base/mapped_file.h"

namespace lw {

struct SafetensorsEntry {
  std::string name;
  std::string dtype;  // "F32", "BF16", ...: see dtypes.h
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;  // row-major, little endian, at any alignment
};

/// The bytes of a file. Entries are stored by name, so that equal tensors give equal files.
[[nodiscard]] std::string safetensors_bytes(std::vector<SafetensorsEntry> entries,
                                            const std::map<std::string, std::string>& metadata);
/// The same as a file, complete or absent, never half.
/// @throws Error(kRuntime) when the file cannot be written.
void write_safetensors(const std::filesystem::path& path, std::vector<SafetensorsEntry> entries,
                       const std::map<std::string, std::string>& metadata);

struct SafetensorsContents {
  std::vector<SafetensorsEntry> entries;  // by name; they point into the bytes that were parsed
  std::map<std::string, std::string> metadata;
};

/// Checks all that the reference reader checks: sizes, ranges, and that tensors cover the data end to end.
/// Allocates in proportion to the header, which must lie within the bytes. Values are not checked.
/// @throws Error(kInput): "PLACE: TENSOR: what was found; what is allowed".
SafetensorsContents parse_safetensors(std::span<const std::byte> bytes, const std::string& place);

/// A file mapped into memory; the entries' bytes point into it.
class SafetensorsFile {
 public:
  /// @throws Error(kInput) naming the file and what is wrong with it.
  explicit SafetensorsFile(const std::filesystem::path& path);

  const std::vector<SafetensorsEntry>& entries() const { return contents_.entries; }
  const std::map<std::string, std::string>& metadata() const { return contents_.metadata; }
  const MappedFile& file() const { return file_; }

 private:
  MappedFile file_;
  SafetensorsContents contents_;
};

}  // namespace lw
