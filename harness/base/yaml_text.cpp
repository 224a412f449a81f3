#include "harness/base/yaml_text.h"

#include <algorithm>
#include <sstream>

#include "harness/base/printable.h"
#include "harness/base/problem.h"
#include "harness/base/text.h"

namespace lw {
namespace {

SourcePos place_at(std::string_view bytes, size_t at, const std::string& name) {
  const std::string_view before = bytes.substr(0, at);
  const auto line = std::count(before.begin(), before.end(), '\n');
  const size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return {name, static_cast<int>(line) + 1, static_cast<int>(at - begin) + 1};
}

}  // namespace

void require_text(std::string_view bytes, const std::string& name) {
  const auto fail = [&](size_t at, const std::string& what) {
    throw ConfigErrors({{place_at(bytes, at, name), "", what}});
  };
  if (const size_t bad = find_not_utf8(bytes); bad != std::string_view::npos)
    fail(bad, found_what("the byte ", printable(bytes.substr(bad, 1)), ", which is not UTF-8").allowed("UTF-8 text"));
  const auto control = std::find_if(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\r' && c != '\t') || byte == 0x7F;
  });
  if (control != bytes.end())
    fail(size_t(control - bytes.begin()),
         found_what("the character ", printable({&*control, 1})).allowed("text without control characters"));
}

void require_closed(std::string_view bytes, size_t at, const std::string& name) {
  while (at < bytes.size() && (bytes[at] == '&' || bytes[at] == '!')) {  // anchor and tag
    at = std::min(bytes.find_first_of(" \t\r\n", at), bytes.size());
    at = std::min(bytes.find_first_not_of(" \t\r\n", at), bytes.size());
  }
  if (at >= bytes.size() || (bytes[at] != '"' && bytes[at] != '\'')) return;
  const char quote = bytes[at];
  for (size_t i = at + 1; i < bytes.size(); ++i) {
    if (quote == '"' && bytes[i] == '\\')
      ++i;
    else if (bytes[i] == quote && quote == '\'' && i + 1 < bytes.size() && bytes[i + 1] == quote)
      ++i;
    else if (bytes[i] == quote)
      return;
  }
  throw ConfigErrors({{place_at(bytes, at, name), "",
                       found_what("a quote that is not closed").allowed("a text with ", quote, " at both ends")}});
}

std::optional<SourcePos> indenting_tab(const std::string& text, int last, const std::string& name) {
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; number <= last && std::getline(lines, line); ++number) {
    const size_t tab = line.find('\t');
    if (tab < line.find_first_not_of(" \t")) return SourcePos{name, number, static_cast<int>(tab) + 1};
  }
  return std::nullopt;
}

}  // namespace lw
