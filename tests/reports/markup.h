// A small checker of HTML and SVG text: every tag is closed in order, every attribute quoted, every < escaped.
#pragma once
#include <set>
#include <string>
#include <vector>

namespace lw::fixture {

/// What is wrong with the markup, or "" when nothing is.
inline std::string markup_fault(const std::string& text) {
  static const std::set<std::string> kVoid = {"meta", "br", "hr", "img", "link", "!doctype"};
  std::vector<std::string> open;
  size_t i = 0;
  const auto at = [&] { return " at '" + text.substr(i > 20 ? i - 20 : 0, 60) + "'"; };
  while ((i = text.find('<', i)) != text.npos) {
    const bool closing = text[i + 1] == '/';
    size_t end = i + (closing ? 2 : 1);
    const size_t name_begin = end;
    while (end < text.size() && (isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '!')) ++end;
    const std::string name = text.substr(name_begin, end - name_begin);
    if (name.empty()) return "a bare <" + at();
    bool alone = kVoid.contains(name);
    while (end < text.size() && text[end] != '>') {
      if (text[end] == '<') return "a < inside a tag" + at();
      if (text[end] == '"') {
        end = text.find('"', end + 1);
        if (end == text.npos) return "an attribute without its end" + at();
      } else if (text[end] == '=' && text[end + 1] != '"') {
        return "an attribute without quotes" + at();
      } else if (text[end] == '/' && text[end + 1] == '>') {
        alone = true;
      }
      ++end;
    }
    if (end >= text.size()) return "a tag without its end" + at();
    if (closing) {
      if (open.empty() || open.back() != name)
        return "</" + name + "> closes <" + (open.empty() ? "" : open.back()) + ">" + at();
      open.pop_back();
    } else if (!alone) {
      open.push_back(name);
    }
    i = end + 1;
    if (name == "style" && !closing) i = text.find("</style>", i);
  }
  return open.empty() ? "" : "<" + open.back() + "> is never closed";
}

}  // namespace lw::fixture
