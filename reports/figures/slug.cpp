// Names as parts of file names and anchors.
#include <algorithm>
#include <array>

#include "harness/base/printable.h"
#include "reports/figures/figures.h"

namespace lw {
namespace {

constexpr size_t kLongestSlug = 160;  // file names may have 255 bytes, with what stands around it

/// Blocks of Unicode with signs, spaces or nothing that is printed, in place of letters and digits.
constexpr std::array<std::pair<char32_t, char32_t>, 10> kSigns = {{{0x80, 0xBF},
                                                                   {0x2000, 0x2BFF},
                                                                   {0x3000, 0x3004},
                                                                   {0x3008, 0x3030},
                                                                   {0xD800, 0xF8FF},
                                                                   {0xFE00, 0xFE6F},
                                                                   {0xFF00, 0xFF0F},
                                                                   {0xFF1A, 0xFF20},
                                                                   {0xFFF0, 0xFFFF},
                                                                   {0x1F000, 0x10FFFF}}};

/// A letter or digit of any script.
bool is_letter(std::string_view utf8) {
  if (utf8.size() == 1) {
    const char c = utf8[0];
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
  }
  char32_t code = static_cast<unsigned char>(utf8[0]) & (0x7FU >> utf8.size());
  for (const char c : utf8.substr(1)) code = code << 6U | (static_cast<unsigned char>(c) & 0x3FU);
  return std::none_of(kSigns.begin(), kSigns.end(),
                      [&](const auto& block) { return code >= block.first && code <= block.second; });
}

}  // namespace

std::string slug(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size() && out.size() < kLongestSlug;) {
    const size_t length = utf8_length(std::string_view(text).substr(at));
    const std::string_view letter = std::string_view(text).substr(at, std::max<size_t>(length, 1));
    at += letter.size();
    if (length > 0 && is_letter(letter))
      out += letter;
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "unnamed" : out;
}

std::string untaken(std::string name, std::set<std::string>& taken) {
  while (!taken.insert(name).second) name += "-2";
  return name;
}

}  // namespace lw
