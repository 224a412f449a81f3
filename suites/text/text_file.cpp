#include "suites/text/text_file.h"

#include "harness/base/config.h"
#include "harness/base/files.h"
#include "harness/base/printable.h"
#include "harness/base/text.h"

namespace lw {
namespace {

constexpr const char* kAllowed = "a file of UTF-8 text";

TextFile read_whole(const ConfigNode& options, std::string_view key, const std::string& path) {
  TextFile file;
  try {
    file.text = read_file(path);
  } catch (const FileError& e) {
    options.fail(key, found(path, ", which ", e.reason()).allowed(kAllowed));
  }
  options.require(!file.text.empty(), key, found(path, ", which is empty").allowed(kAllowed));
  for (size_t at = 0; at < file.text.size();) {
    const size_t length = utf8_length(std::string_view(file.text).substr(at));
    options.require(length > 0, key,
                    found(path, ", whose byte ", format_grouped(int64_t(at)), " is not UTF-8").allowed(kAllowed));
    at += length;
  }
  file.hash = sha256(file.text);
  return file;
}

}  // namespace

TextFile read_text_file(const ConfigNode& options, std::string_view key, const std::string& path) {
  TextFile file;
  options.verify([&] { file = read_whole(options, key, path); });
  return file;
}

}  // namespace lw
