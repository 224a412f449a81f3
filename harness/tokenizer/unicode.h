// What tokenizers need to know about Unicode: UTF-8, character classes, normalisation (tables: ICU's).
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lw {

/// One step of a UTF-8 decoder. If not valid, `length` bytes (1-3) are the longest prefix of a sequence.
struct Utf8Step {
  char32_t code = 0;
  size_t length = 1;
  bool valid = false;
};
Utf8Step utf8_step(std::string_view text, size_t at);

/// The code point at byte `at` of valid UTF-8; `at` moves past it.
inline char32_t next_code_point(std::string_view text, size_t& at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) return ++at, byte;
  const Utf8Step step = utf8_step(text, at);
  at += step.length;
  return step.code;
}

void append_utf8(std::string& text, char32_t code);
/// Byte offset of the first fault, or npos.
size_t find_invalid_utf8(std::string_view text);
/// Each maximal invalid part becomes U+FFFD (Unicode 3.9, "substitution of maximal subparts").
std::string replace_invalid_utf8(std::string_view text);

/// The property White_Space, which is `\s` of the reference engines: with U+0085, without U+200B and U+FEFF.
bool is_white_space(char32_t code);
bool is_letter(char32_t code);           // L
bool is_number(char32_t code);           // N: Nd, Nl, No
bool is_mark(char32_t code);             // M
bool is_nonspacing_mark(char32_t code);  // Mn
bool is_punctuation(char32_t code);      // P, and every ASCII sign
bool is_control(char32_t code);          // Cc, Cf, Co, Cs
bool is_word(char32_t code);             // `\w`: alphabetic, M, Nd, Pc, join controls

/// Lower case of one code point, without context (Unicode's unconditional mappings).
void append_lower(std::string& text, char32_t code);

enum class NormalForm { kNfc, kNfd, kNfkc, kNfkd };
/// Calls part(begin, end, normal) for consecutive parts of the text that normalise independently.
void normalise_parts(std::string_view text, NormalForm form,
                     const std::function<void(size_t begin, size_t end, std::string_view normal)>& part);

/// Ends of the extended grapheme clusters (UAX 29), in bytes.
std::vector<size_t> grapheme_ends(std::string_view text);

}  // namespace lw
