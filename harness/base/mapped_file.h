// A file mapped read-only into memory, for weights that are larger than what one wants to copy.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace lw {

class MappedFile {
 public:
  /// Files that cannot be mapped (pipes, some network folders) are read into memory instead.
  /// @throws Error(kInput) naming the file and the reason.
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const;
  const std::string& place() const { return place_; }

  /// Throws when the file was cut or rewritten since it was opened: reading a page beyond the end of a mapped
  /// file would kill the process. Call it before touching pages that were not read before; between this call
  /// and the reading the file must stay as it is.
  /// @throws Error(kInput).
  void require_unchanged() const;

 private:
  void release() noexcept;

  std::string place_;
  int descriptor_ = -1;
  void* map_ = nullptr;  // or null when `copy_` holds the bytes
  size_t size_ = 0;
  int64_t written_ns_ = 0;
  std::vector<char> copy_;  // its bytes stay in place when the object moves
};

}  // namespace lw
