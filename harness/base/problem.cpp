#include "harness/base/problem.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <tuple>

#include "harness/base/printable.h"

namespace lw {
namespace {

std::string lines_of(const std::vector<Problem>& problems) {
  LW_CHECK(!problems.empty(), "errors without one");
  std::string out;
  for (const auto& problem : problems) out += (out.empty() ? "" : "\n") + problem.text();
  return out;
}

bool is_below(const std::string& key, const std::string& section) {
  return key == section || key.rfind(section + ".", 0) == 0;
}

/// The code point that begins at `at`, of UTF-8 that may be damaged; its length in bytes is 1 or more.
std::pair<char32_t, size_t> code_point(const std::string& text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const size_t length = byte(at) < 0xC0 ? 1 : byte(at) < 0xE0 ? 2 : byte(at) < 0xF0 ? 3 : 4;
  if (length == 1 || at + length > text.size()) return {byte(at), 1};
  char32_t point = byte(at) & (0x7FU >> length);
  for (size_t i = 1; i < length; ++i) point = (point << 6U) | (byte(at + i) & 0x3FU);
  return {point, length};
}

/// Whether a terminal gives it two columns: Hangul, Chinese, Japanese, full-width forms, emoji.
bool is_wide(char32_t point) {
  return (point >= 0x1100 && point <= 0x115F) || (point >= 0x2E80 && point <= 0xA4CF) ||
         (point >= 0xAC00 && point <= 0xD7A3) || (point >= 0xF900 && point <= 0xFAFF) ||
         (point >= 0xFE30 && point <= 0xFE6F) || (point >= 0xFF00 && point <= 0xFF60) ||
         (point >= 0x1F300 && point <= 0x1FAFF);
}

/// As wide as the first `bytes` bytes of `line`; a tab stays one.
std::string blank_as_wide_as(const std::string& line, size_t bytes) {
  std::string out;
  for (size_t at = 0; at < std::min(bytes, line.size());) {
    const auto [point, length] = code_point(line, at);
    out += point == '\t' ? "\t" : is_wide(point) ? "  " : " ";
    at += length;
  }
  return out;
}

}  // namespace

std::string Problem::text() const {
  std::string out = at.str();
  for (const std::string& part : {printable(key, 200), what}) {
    if (part.empty()) continue;
    out += (out.empty() ? "" : ": ") + part;
  }
  return out;
}

std::vector<Problem> in_order(std::vector<Problem> problems) {
  std::vector<std::string> meant;
  for (const auto& problem : problems)
    if (!problem.meant.empty()) meant.push_back(problem.meant);
  const auto follows = [&](const Problem& problem) {
    return problem.kind == Problem::Kind::kMissing &&
           std::any_of(meant.begin(), meant.end(), [&](const std::string& key) { return is_below(problem.key, key); });
  };
  const auto place = [](const Problem& p) {
    return std::make_tuple(p.kind != Problem::Kind::kUnknownKey, p.at.file, p.at.line, p.at.column);
  };
  std::stable_sort(problems.begin(), problems.end(),
                   [&](const Problem& a, const Problem& b) { return place(a) < place(b); });
  std::vector<Problem> out;
  std::set<std::string> seen;
  for (auto& problem : problems)
    if (!follows(problem) && seen.insert(problem.text()).second) out.push_back(std::move(problem));
  return out;
}

ConfigErrors::ConfigErrors(std::vector<Problem> problems)
    : Error(ErrorKind::kConfig, lines_of(problems)), problems_(std::move(problems)) {}

std::string source_excerpt(const SourcePos& at) {
  if (at.line < 1 || at.column < 1) return "";
  std::ifstream in(at.file);
  std::string line;
  for (int number = 0; number < at.line; ++number)
    if (!std::getline(in, line)) return "";
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (line.size() > 400 || find_invisible(line) != std::string::npos) return "";
  const std::string number = std::to_string(at.line);
  return "  " + number + " | " + line + "\n  " + std::string(number.size(), ' ') + " | " +
         blank_as_wide_as(line, static_cast<size_t>(at.column) - 1) + "^\n";
}

}  // namespace lw
