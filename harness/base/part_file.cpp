#include "harness/base/part_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/files.h"

namespace lw {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kPart = ".part";

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Opens a new file and locks it. Between the two another process may take it for abandoned and remove it: then -1.
int open_locked(const fs::path& part) {
  const int file = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return file;
  ::flock(file, LOCK_EX | LOCK_NB);  // some file systems have no locks; parts there are never taken for abandoned
  struct stat state {};
  if (::fstat(file, &state) == 0 && state.st_nlink > 0) return file;
  ::close(file);
  errno = EAGAIN;
  return -1;
}

}  // namespace

bool is_part_name(std::string_view name) {
  const size_t at = name.rfind(kPart);
  if (at == std::string_view::npos) return false;
  const std::string_view ids = name.substr(at + kPart.size());
  const size_t point = ids.find('.');
  return point != std::string_view::npos && all_digits(ids.substr(0, point)) && all_digits(ids.substr(point + 1));
}

bool is_abandoned_part(const fs::path& part) {
  const int file = ::open(part.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (file < 0) return false;
  const bool free = ::flock(file, LOCK_EX | LOCK_NB) == 0;
  ::close(file);
  return free;
}

size_t remove_abandoned_parts(const fs::path& folder) {
  std::error_code ignored;
  size_t removed = 0;
  std::vector<fs::path> parts;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (is_part_name(entry.path().filename().string())) parts.push_back(entry.path());
  for (const auto& part : parts)
    if (is_abandoned_part(part) && fs::remove(part, ignored)) ++removed;
  return removed;
}

PartFile::PartFile(fs::path target) : target_(std::move(target)) {
  if (target_.has_parent_path()) make_folder(target_.parent_path());
  static std::atomic<unsigned> serial{0};  // two threads may write the same cache entry
  constexpr int kTries = 100;
  for (int i = 0; i < kTries && file_ < 0; ++i) {
    part_ = target_;
    part_ += std::string(kPart) + std::to_string(::getpid()) + "." + std::to_string(serial++);
    file_ = open_locked(part_);
    if (file_ < 0 && errno != EAGAIN) break;
  }
  if (file_ < 0) fail(errno);
}

PartFile::~PartFile() {
  if (file_ < 0) return;
  std::error_code ignored;
  fs::remove(part_, ignored);
  ::close(file_);
}

void PartFile::fail(int error) {
  throw Error(ErrorKind::kRuntime, target_.string() + ": cannot be written: " + std::strerror(error));
}

void PartFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(errno);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

void PartFile::finish() {
  std::error_code error;
  fs::rename(part_, target_, error);
  if (error) fail(error.value());
  const int file = file_;
  file_ = -1;  // the part has its name: nothing is left to remove
  // Some disks say only now that they are full.
  if (::close(file) != 0) fail(errno);
}

}  // namespace lw
