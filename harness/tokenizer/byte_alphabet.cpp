#include "harness/tokenizer/byte_alphabet.h"

#include <array>

#include "harness/tokenizer/unicode.h"

namespace lw {
namespace {

struct Alphabet {
  std::array<std::string, 256> letters;
  std::array<int, 0x144> bytes{};  // by code point; -1: none

  Alphabet() {
    bytes.fill(-1);
    char32_t next = 0x100;
    for (unsigned byte = 0; byte < 256; ++byte) {
      const bool itself = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte != 0xAD);
      const char32_t letter = itself ? byte : next++;
      append_utf8(letters[byte], letter);
      bytes[letter] = static_cast<int>(byte);
    }
  }
};

const Alphabet& alphabet() {
  static const Alphabet kAlphabet;
  return kAlphabet;
}

}  // namespace

const std::string& byte_letter(unsigned char byte) { return alphabet().letters[byte]; }

std::optional<unsigned char> letter_byte(char32_t letter) {
  const auto& bytes = alphabet().bytes;
  if (letter >= bytes.size() || bytes[letter] < 0) return std::nullopt;
  return static_cast<unsigned char>(bytes[letter]);
}

std::optional<std::string> bytes_of_letters(std::string_view token) {
  std::string bytes;
  for (size_t at = 0; at < token.size();) {
    const auto byte = letter_byte(next_code_point(token, at));
    if (!byte) return std::nullopt;
    bytes += static_cast<char>(*byte);
  }
  return bytes;
}

}  // namespace lw
