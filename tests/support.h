// What tests of every folder share: a folder that is gone afterwards, and the text of an error.
#pragma once
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <system_error>

#include "harness/base/error.h"

namespace lw::test {

/// A new, empty folder, removed with everything in it.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "lengthwise-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder can be made");
    path_ = name;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The message of the lw::Error that `act` throws; "" when it throws none.
inline std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

/// Its kind; fails when nothing is thrown.
inline ErrorKind error_kind_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& e) {
    return e.kind();
  }
  throw std::runtime_error("an error was expected");
}

}  // namespace lw::test
