// Small tokenizers written out in the tests.
#pragma once
#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "harness/tokenizer/from_json.h"
#include "harness/tokenizer/matcher.h"
#include "harness/tokenizer/token_table.h"
#include "harness/tokenizer/unicode.h"

namespace lw::test {

inline Tokenizer tokenizer_of(const std::string& json) { return Tokenizer(read_tokenizer_json(json, "t.json")); }

/// A tokenizer.json with the given fields besides the model.
inline std::string with_model(const std::string& model, const std::string& fields = "") {
  return "{\"version\": \"1.0\"" + (fields.empty() ? "" : ", " + fields) + ", \"model\": " + model + "}";
}

inline TokenTable table_of(const std::vector<std::string>& tokens) {
  TokenTable table;
  for (uint32_t id = 0; id < tokens.size(); ++id) table.add(tokens[id], id);
  return table;
}

inline std::vector<std::string> texts_of(const std::vector<AlignedText>& pieces) {
  std::vector<std::string> texts;
  for (const AlignedText& piece : pieces) texts.push_back(piece.text());
  return texts;
}

/// The parts of the text as the matcher cuts it.
inline std::vector<std::string> cut(const Matcher& matcher, const std::string& text) {
  return texts_of(split(AlignedText(text, 0), matcher, SplitBehavior::kIsolated));
}

/// Text of code points that cut patterns treat each in its own way.
inline std::string awkward_text(std::mt19937& random, size_t longest) {
  static const std::vector<char32_t> kCodes = {
      ' ',    ' ',   ' ',    '\t',   '\n',   '\r',   '\v',   0x85, 0xA0,  0xAD,  0x3000,  0x2028, 0x180E, 0x200B,
      0xFEFF, '\'',  '\'',   's',    'S',    't',    'r',    'e',  'L',   'l',   'd',     'V',    'm',    0x17F,
      '0',    '7',   0xB2,   0xBD,   0x2168, 0x664,  '!',    '.',  '(',   '|',   '-',     0x2026, 0x3002, 0x301,
      0x308,  0x93E, 0xAC00, 0x1112, 0x1161, 0x11AB, 0x4E2D, 0xE9, 0x416, 0x5D0, 0x1F600, 0x200D, 0xFE0F, 0xFFFD};
  std::string text;
  for (size_t left = 1 + random() % longest; left > 0; --left) append_utf8(text, kCodes[random() % kCodes.size()]);
  return text;
}

inline std::string base64(const std::string& bytes) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (size_t k = 0; k < 4; ++k) text += i + k <= bytes.size() ? digits[bits >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

/// A charsmap that turns 'A' into the text: a trie of three units on the way.
inline std::string charsmap_bytes(const std::string& text, uint32_t text_at = 0) {
  std::vector<uint32_t> units(0x43, 0);
  units[0] = 1U << 10;                       // children at 1 ^ label
  units[0x40] = 2U << 10 | 1U << 8 | 0x41U;  // 'A', a leaf at 0x40 ^ 2
  units[0x42] = 1U << 31 | text_at;
  std::string bytes;
  const auto put = [&](uint32_t unit) {
    for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(unit >> shift);
  };
  put(static_cast<uint32_t>(4 * units.size()));
  for (const uint32_t unit : units) put(unit);
  return bytes + text + '\0';
}

}  // namespace lw::test
