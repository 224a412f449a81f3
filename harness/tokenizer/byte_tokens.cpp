#include "harness/tokenizer/byte_tokens.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace lw {

ByteTokens find_byte_tokens(const TokenTable& table) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  ByteTokens bytes;
  for (size_t byte = 0; byte < bytes.size(); ++byte)
    bytes[byte] = table.find(std::string("<0x") + kHex[byte / 16] + kHex[byte % 16] + '>');
  return bytes;
}

bool has_all(const ByteTokens& bytes, std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return bytes[static_cast<unsigned char>(c)].has_value(); });
}

std::optional<unsigned char> byte_of_token(std::string_view token) {
  if (token.size() != 6 || token.substr(0, 3) != "<0x" || token.back() != '>') return std::nullopt;
  unsigned byte = 0;
  const auto [end, fault] = std::from_chars(token.data() + 3, token.data() + 5, byte, 16);
  if (fault != std::errc() || end != token.data() + 5) return std::nullopt;
  return static_cast<unsigned char>(byte);
}

}  // namespace lw
