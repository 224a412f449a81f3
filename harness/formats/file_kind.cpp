#include "harness/formats/file_kind.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace lw {
namespace {

/// The first `limit` bytes after blanks and a byte order mark, in lower case.
std::string beginning(std::string_view text, size_t limit) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  const size_t start = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  std::string out(text.substr(start, limit));
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return out;
}

bool is_safetensors(std::string_view bytes) {
  uint64_t header = 0;
  if (bytes.size() < 10) return false;
  std::memcpy(&header, bytes.data(), 8);
  return header <= bytes.size() - 8 && bytes.substr(8, 2) == "{\"";
}

}  // namespace

std::string recognised_kind(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto starts = [&](std::string_view with) { return text.substr(0, with.size()) == with; };
  if (text.empty()) return "an empty file";
  if (starts("version https://git-lfs")) return "a Git LFS pointer, not the file itself; get it with 'git lfs pull'";
  if (starts("GGUF")) return "a GGUF file";
  for (const char* old : {"tjgg", "lmgg", "fmgg", "algg"})
    if (starts(old)) return "a GGML file from before GGUF, which is not read; convert it to GGUF";
  if (is_safetensors(text)) return "a safetensors file";
  // A safetensors file that was cut off begins with the size of its header, which may look like anything below.
  if (text.size() >= 8 && text.substr(4, 4) == std::string_view("\0\0\0\0", 4)) return "";
  if (starts("PK\x03\x04")) return "a zip archive, as PyTorch writes its pickles; only safetensors and GGUF are read";
  if (starts("\x80\x02") || starts("\x80\x03") || starts("\x80\x04") || starts("\x80\x05"))
    return "a Python pickle; only safetensors and GGUF are read";
  if (starts("\x1F\x8B")) return "a gzip archive; unpack it first";
  const std::string begin = beginning(text, 16);
  if (begin.rfind("<!doctype", 0) == 0 || begin.rfind("<html", 0) == 0 || begin.rfind("<head", 0) == 0)
    return "an HTML page; was a web page downloaded instead of the file?";
  if (begin.rfind("<?xml", 0) == 0) return "an XML page; is it a download's error message?";
  if (begin.rfind("{", 0) == 0) return "JSON text; is it a download's error message?";
  return "";
}

}  // namespace lw
