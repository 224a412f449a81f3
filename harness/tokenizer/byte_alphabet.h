// The alphabet of byte-level BPE: each byte is written as one printable code point (Radford et al. 2019, GPT-2).
// 0x21-0x7E, 0xA1-0xAC and 0xAE-0xFF stand for the code point of equal value; the other 68 bytes, in increasing order,
// for U+0100 and on.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace lw {

/// UTF-8 of the code point that stands for the byte.
const std::string& byte_letter(unsigned char byte);
/// The byte that a code point stands for, if any.
std::optional<unsigned char> letter_byte(char32_t letter);
/// The bytes that a token spells; nullopt if a code point is outside the alphabet.
std::optional<std::string> bytes_of_letters(std::string_view token);

}  // namespace lw
