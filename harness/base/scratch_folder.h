// A folder for files that nobody needs afterwards.
#pragma once
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

#include "harness/base/error.h"

namespace lw {

/// New and empty, below $TMPDIR or /tmp, readable to this user alone; removed with everything in it.
class ScratchFolder {
 public:
  /// @throws Error(kRuntime).
  ScratchFolder() {
    // mkdtemp() puts letters and digits in the place of six X.
    std::string name = (std::filesystem::temp_directory_path() / "lengthwise-").string() + std::string(6, 'X');
    if (::mkdtemp(name.data()) == nullptr)
      throw Error(ErrorKind::kRuntime, "temporary folder " + name + ": cannot be made: " + std::strerror(errno));
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace lw
