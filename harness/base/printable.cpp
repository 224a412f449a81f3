#include "harness/base/printable.h"

#include <algorithm>
#include <cstdint>

namespace lw {
namespace {

/// Of the UTF-8 character, `length` bytes long, that `bytes` begins with.
uint32_t code_of(std::string_view bytes, size_t length) {
  uint32_t code = static_cast<unsigned char>(bytes[0]);
  if (length == 1) return code;
  code &= 0x7FU >> length;
  for (size_t i = 1; i < length; ++i) code = code << 6 | (static_cast<unsigned char>(bytes[i]) & 0x3FU);
  return code;
}

/// Control characters of ASCII and Latin-1, line and paragraph separators, and what overrides the direction of text.
bool is_control(uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

/// Bytes of the character at the front that is shown as it is; 0 where it is written otherwise.
size_t shown_length(std::string_view bytes) {
  const size_t length = utf8_length(bytes);
  return length > 0 && is_control(code_of(bytes, length)) ? 0 : length;
}

/// What stands for the character, or the byte that is no UTF-8, at the front.
void append_escape(std::string& out, std::string_view bytes) {
  static constexpr char kHex[] = "0123456789abcdef";
  const size_t length = utf8_length(bytes);
  const uint32_t code = length == 0 ? static_cast<unsigned char>(bytes[0]) : code_of(bytes, length);
  const bool wide = length > 1;
  out += wide ? "\\u" : "\\x";
  for (int digit = wide ? 3 : 1; digit >= 0; --digit) out += kHex[code >> (4 * digit) & 15U];
}

}  // namespace

size_t utf8_length(std::string_view bytes) {
  if (bytes.empty()) return 0;
  const auto at = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned lead = at(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || bytes.size() < length) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((at(i) & 0xC0) != 0x80) return 0;
  const uint32_t code = code_of(bytes, length);
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return overlong || surrogate || code > 0x10FFFF ? 0 : length;
}

size_t find_not_utf8(std::string_view bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const size_t length = utf8_length(bytes.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

size_t find_invisible(std::string_view bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const size_t length = shown_length(bytes.substr(at));
    if (length == 0 && bytes[at] != '\n' && bytes[at] != '\t') return at;
    at += std::max<size_t>(length, 1);
  }
  return std::string_view::npos;
}

std::string printable(std::string_view bytes, size_t limit) {
  std::string out;
  size_t at = 0;
  while (at < bytes.size() && at < limit) {
    const std::string_view rest = bytes.substr(at);
    const size_t shown = shown_length(rest);
    if (shown > 0)
      out += rest.substr(0, shown);
    else
      append_escape(out, rest);
    at += std::max<size_t>(shown > 0 ? shown : utf8_length(rest), 1);
  }
  if (at < bytes.size()) out += "... (" + std::to_string(bytes.size() - at) + " bytes more)";
  return out;
}

std::string visible(std::string_view bytes) { return printable(bytes, bytes.size()); }

}  // namespace lw
