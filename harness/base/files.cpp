#include "harness/base/files.h"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <span>
#include <sstream>
#include <system_error>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/part_file.h"

namespace lw {
namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) throw FileError(path, "is a folder; a file is needed");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw FileError(path, std::string("cannot be read: ") + std::strerror(errno));
  std::ostringstream bytes;
  bytes << in.rdbuf();
  if (in.bad()) throw FileError(path, std::string("cannot be read: ") + std::strerror(errno));
  return std::move(bytes).str();
}

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error || !fs::is_directory(path))
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
  std::ifstream in(path, std::ios::binary);
  if (!in || fs::is_directory(path)) throw Error(ErrorKind::kInput, path.string() + ": cannot be read");
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> state(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  LW_CHECK(state != nullptr && EVP_DigestInit_ex(state.get(), EVP_sha256(), nullptr) == 1, "SHA-256 is there");
  std::vector<char> block(1 << 20);
  while (in.read(block.data(), std::streamsize(block.size())) || in.gcount() > 0)
    EVP_DigestUpdate(state.get(), block.data(), size_t(in.gcount()));
  if (in.bad()) throw Error(ErrorKind::kInput, path.string() + ": cannot be read to its end");
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  EVP_DigestFinal_ex(state.get(), digest.data(), nullptr);
  return hex(digest);
}

}  // namespace lw
