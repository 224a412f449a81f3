#include "harness/base/printable.h"

#include <cstdint>

namespace lw {

size_t utf8_length(std::string_view bytes) {
  if (bytes.empty()) return 0;
  const auto at = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned lead = at(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || bytes.size() < length) return 0;
  uint32_t code = lead & (0x7FU >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (at(i) & 0x3FU);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return overlong || surrogate || code > 0x10FFFF ? 0 : length;
}

std::string printable(std::string_view bytes, size_t limit) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  size_t i = 0;
  while (i < bytes.size() && i < limit) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    const size_t length = utf8_length(bytes.substr(i));
    if (length == 0 || byte < 0x20 || byte == 0x7F) {
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
      i += 1;
    } else {
      out += bytes.substr(i, length);
      i += length;
    }
  }
  if (i < bytes.size()) out += "... (" + std::to_string(bytes.size() - i) + " bytes more)";
  return out;
}

}  // namespace lw
