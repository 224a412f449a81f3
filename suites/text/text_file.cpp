#include "suites/text/text_file.h"

#include "harness/base/config.h"
#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/printable.h"
#include "harness/base/text.h"

namespace lw {
namespace {

constexpr auto kAllowed = "a file of UTF-8 text";

std::string read(const ConfigNode& options, std::string_view key, const std::string& path) {
  try {
    return read_file(path);
  } catch (const Error& e) {
    const std::string reason = std::string(e.what()).substr(path.size() + 2);  // after "PATH: "
    options.fail(key, found(path, ", which ", reason).allowed(kAllowed));
  }
}

}  // namespace

TextFile read_text_file(const ConfigNode& options, std::string_view key, const std::string& path) {
  if (options.is_describing()) return {};
  TextFile file;
  file.text = read(options, key, path);
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

}  // namespace lw
