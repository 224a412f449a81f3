#include "reports/written_files.h"

#include <system_error>

#include "harness/base/error.h"
#include "harness/base/files.h"

namespace lw {
namespace {

namespace fs = std::filesystem;

constexpr const char* kList = "files.sha256";
constexpr std::string_view kGap = "  ";
constexpr size_t kHashDigits = 64;

bool matches_pattern(const fs::path& path, const fs::path& pattern) {
  if (pattern.stem() != "*") return path == pattern;
  return path.parent_path() == pattern.parent_path() && path.extension() == pattern.extension();
}

}  // namespace

WrittenFiles::WrittenFiles(fs::path folder) : folder_(std::move(folder)) {
  std::error_code ignored;
  if (!fs::is_regular_file(folder_ / kList, ignored)) return;
  const std::string text = read_file(folder_ / kList);
  for (size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string line = text.substr(begin, end - begin);
    if (line.size() > kHashDigits + kGap.size() && line.substr(kHashDigits, kGap.size()) == kGap)
      hashes_[line.substr(kHashDigits + kGap.size())].insert(line.substr(0, kHashDigits));
  }
}

void WrittenFiles::add(const std::string& path, std::string_view bytes) {
  last_[path] = sha256(bytes);
  hashes_[path].insert(last_[path]);
}

void WrittenFiles::remove_others(std::string_view pattern, const std::set<std::string>& kept) {
  for (auto entry = hashes_.begin(); entry != hashes_.end();) {
    auto& [path, hashes] = *entry;
    if (!matches_pattern(path, pattern)) {
      ++entry;
    } else if (kept.count(path) > 0) {
      if (const auto last = last_.find(path); last != last_.end()) hashes = {last->second};
      ++entry;
    } else {
      std::error_code ignored;
      const fs::path file = folder_ / path;
      if (fs::is_regular_file(file, ignored) && hashes.count(sha256_of_file(file)) > 0) fs::remove(file, ignored);
      entry = hashes_.erase(entry);
    }
  }
}

void WrittenFiles::save() const {
  std::string text;
  for (const auto& [path, hashes] : hashes_)
    for (const auto& hash : hashes) text += hash + std::string(kGap) + path + "\n";
  write_file(folder_ / kList, text);
}

}  // namespace lw
