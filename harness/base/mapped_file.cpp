#include "harness/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/files.h"

namespace lw {
namespace {

int64_t written_ns(const struct stat& state) {
  return int64_t{state.st_mtim.tv_sec} * 1'000'000'000 + state.st_mtim.tv_nsec;
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) : place_(path.string()) {
  require_plain_file(path);
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw FileError::of_system(place_, errno);
  struct stat state {};
  const bool known = ::fstat(descriptor_, &state) == 0;
  if (known && S_ISREG(state.st_mode) && state.st_size > 0) {
    size_ = static_cast<size_t>(state.st_size);
    written_ns_ = written_ns(state);
    map_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor_, 0);
    if (map_ != MAP_FAILED) return;
    map_ = nullptr;
  }
  ::close(std::exchange(descriptor_, -1));
  const std::string read = read_file(path);
  copy_.assign(read.begin(), read.end());
  size_ = copy_.size();
}

MappedFile::MappedFile(MappedFile&& other) noexcept { *this = std::move(other); }

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this == &other) return *this;
  release();
  place_ = std::move(other.place_);
  descriptor_ = std::exchange(other.descriptor_, -1);
  map_ = std::exchange(other.map_, nullptr);
  size_ = std::exchange(other.size_, 0);
  written_ns_ = other.written_ns_;
  copy_ = std::move(other.copy_);
  return *this;
}

MappedFile::~MappedFile() { release(); }

void MappedFile::release() noexcept {
  if (map_ != nullptr) ::munmap(std::exchange(map_, nullptr), size_);
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

std::span<const std::byte> MappedFile::bytes() const {
  const void* begin = map_ != nullptr ? map_ : copy_.data();
  return {static_cast<const std::byte*>(begin), size_};
}

void MappedFile::require_unchanged() const {
  if (map_ == nullptr) return;
  struct stat state {};
  if (::fstat(descriptor_, &state) != 0) throw FileError::of_system(place_, errno);
  if (static_cast<size_t>(state.st_size) != size_ || written_ns(state) != written_ns_)
    throw Error(ErrorKind::kInput, place_ + ": found the file changed while it was read (" +
                                       std::to_string(state.st_size) + " bytes, before " + std::to_string(size_) +
                                       "); allowed: one that stays as it is");
}

}  // namespace lw
