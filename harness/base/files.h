// Whole files in and out: reads with plain errors, writes that are complete or absent.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "harness/base/error.h"

namespace lw {

/// A file that cannot be read; what() is "PATH: REASON".
class FileError : public Error {
 public:
  FileError(const std::filesystem::path& path, const std::string& reason)
      : Error(ErrorKind::kInput, path.string() + ": " + reason), reason_(reason) {}
  /// The system refused: no permission, no descriptor, a failing disk. The bytes of the file may be good.
  static FileError of_system(const std::filesystem::path& path, int error_number);

  const std::string& reason() const noexcept { return reason_; }
  bool is_of_system() const noexcept { return of_system_; }

 private:
  std::string reason_;
  bool of_system_ = false;
};

/// A folder, a pipe or a device is refused at once: reading it may have no end. @throws FileError.
void require_plain_file(const std::filesystem::path& path);

/// @param most bytes that it may hold; 0: any number.
/// @throws FileError naming the file and the reason.
std::string read_file(const std::filesystem::path& path, uintmax_t most = 0);

/// Writes beside the target and renames, so that a reader never sees half a file.
/// @throws Error(kRuntime) naming the file and the reason; nothing is left behind.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// Makes the folder and its parents. @throws Error(kRuntime).
void make_folder(const std::filesystem::path& path);

/// Lower-case hex SHA-256 (FIPS 180-4) of `bytes`.
std::string sha256(std::string_view bytes);
/// The same of a file, which may be larger than memory. @throws FileError naming the file and the reason.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace lw
