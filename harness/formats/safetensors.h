// The safetensors container: 8 bytes header size (little endian), JSON header, tensor bytes.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace lw {

struct SafetensorsEntry {
  std::string name;
  std::string dtype;  // "F32", "F64", "I64"
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;  // row-major, little endian
};

/// Complete or absent, never half. Entries are stored by name, so that equal tensors give equal files.
/// @throws Error(kRuntime) when the file cannot be written.
void write_safetensors(const std::filesystem::path& path, std::vector<SafetensorsEntry> entries,
                       const std::map<std::string, std::string>& metadata);

/// A file held in memory; the entries' bytes point into it.
class SafetensorsFile {
 public:
  /// @throws Error(kInput) naming the file and what is wrong with it.
  explicit SafetensorsFile(const std::filesystem::path& path);
  SafetensorsFile(const SafetensorsFile&) = delete;
  SafetensorsFile& operator=(const SafetensorsFile&) = delete;

  const std::vector<SafetensorsEntry>& entries() const { return entries_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

 private:
  std::string bytes_;
  std::vector<SafetensorsEntry> entries_;
  std::map<std::string, std::string> metadata_;
};

}  // namespace lw
