#include "harness/base/files.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <system_error>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/part_file.h"
#include "harness/base/text.h"

namespace lw {
namespace fs = std::filesystem;

namespace {
/// "" for a file with bytes of its own.
const char* other_kind(const fs::file_status& status) {
  switch (status.type()) {
    case fs::file_type::directory:
      return "a folder";
    case fs::file_type::fifo:
      return "a pipe";
    case fs::file_type::character:
    case fs::file_type::block:
      return "a device";
    case fs::file_type::socket:
      return "a socket";
    default:
      return "";
  }
}

/// An open file that is read in blocks.
class BlockReader {
 public:
  explicit BlockReader(const fs::path& path) : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) throw FileError::of_system(path_, errno);
  }
  BlockReader(const BlockReader&) = delete;
  BlockReader& operator=(const BlockReader&) = delete;
  ~BlockReader() { ::close(descriptor_); }

  /// The next bytes, valid until the next call; empty at the end.
  std::string_view next() {
    ssize_t count = 0;
    do count = ::read(descriptor_, block_.data(), block_.size());
    while (count < 0 && errno == EINTR);
    if (count < 0) throw FileError::of_system(path_, errno);
    return {block_.data(), size_t(count)};
  }

 private:
  fs::path path_;
  int descriptor_;
  std::vector<char> block_ = std::vector<char>(1 << 18);
};
}  // namespace

FileError FileError::of_system(const fs::path& path, int error_number) {
  FileError out(path, std::string("cannot be read: ") + std::strerror(error_number));
  // A file that is not there, or a path that is none, is no refusal.
  out.of_system_ = error_number != ENOENT && error_number != ENOTDIR && error_number != ELOOP;
  return out;
}

void require_plain_file(const fs::path& path) {
  std::error_code error;
  const std::string kind = other_kind(fs::status(path, error));
  if (!kind.empty()) throw FileError(path, "is " + kind + "; a file is needed");
  if (error) throw FileError::of_system(path, error.value());
}

std::string read_file(const fs::path& path, uintmax_t most) {
  require_plain_file(path);
  std::error_code ignored;
  if (const uintmax_t size = fs::file_size(path, ignored); !ignored && most > 0 && size > most)
    throw FileError(path, text("has ", size, " bytes; up to ", most, " are allowed"));
  BlockReader in(path);
  std::string bytes;
  for (std::string_view block = in.next(); !block.empty(); block = in.next()) bytes += block;
  return bytes;
}

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (std::error_code ignored; error || !fs::is_directory(path, ignored))
    throw Error(ErrorKind::kRuntime, path.string() + ": cannot make this folder: " + error.message());
}

void write_file(const fs::path& path, std::string_view bytes) {
  PartFile part(path);
  part.write(bytes);
  part.finish();
}

namespace {
std::string hex(std::span<const unsigned char> digest) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (const unsigned char byte : digest) {
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  return out;
}
}  // namespace

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return hex(digest);
}

std::string sha256_of_file(const fs::path& path) {
  require_plain_file(path);
  BlockReader in(path);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> state(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  LW_CHECK(state != nullptr && EVP_DigestInit_ex(state.get(), EVP_sha256(), nullptr) == 1, "SHA-256 is there");
  for (std::string_view block = in.next(); !block.empty(); block = in.next())
    EVP_DigestUpdate(state.get(), block.data(), block.size());
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  EVP_DigestFinal_ex(state.get(), digest.data(), nullptr);
  return hex(digest);
}

}  // namespace lw
