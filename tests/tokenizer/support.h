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

}  // namespace lw::test
