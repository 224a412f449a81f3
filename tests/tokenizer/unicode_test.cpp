// UTF-8, character classes, normalisation.
#include "harness/tokenizer/unicode.h"

#include "harness/tokenizer/aligned_text.h"
#include "harness/tokenizer/byte_alphabet.h"
#include "harness/tokenizer/normalizer.h"
#include "tests/catch.h"

namespace lw::unicode_test {
namespace {

std::string normal(const std::string& text, NormalForm form) {
  AlignedText aligned(text, 0);
  normalize_form(form)(aligned);
  return aligned.text();
}

}  // namespace

TEST_CASE("UTF-8 is checked as the standard says", "[tokenizer]") {
  for (const char* good :
       {"", "a", "\u00e9", "\u2581", "\U0001F600", "\xED\x9F\xBF", "\xEE\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    CHECK(find_invalid_utf8(good) == std::string::npos);
    CHECK(replace_invalid_utf8(good) == good);
  }
  // A long form, a surrogate, a code above the last, a lone continuation, starts that end early.
  const std::string bad = "\uFFFD";
  CHECK(find_invalid_utf8("ab\xC0\xAF") == 2);
  CHECK(replace_invalid_utf8("\xC0\xAF") == bad + bad);
  CHECK(replace_invalid_utf8("\xED\xA0\x80") == bad + bad + bad);
  CHECK(replace_invalid_utf8("\xF4\x90\x80\x80") == bad + bad + bad + bad);
  CHECK(replace_invalid_utf8("\x80z") == bad + "z");
  CHECK(replace_invalid_utf8("\xE2\x96") == bad);
  CHECK(replace_invalid_utf8("\xE2\x96z\xF0\x9F\x98") == bad + "z" + bad);
  for (const char32_t code : {U'a', char32_t{0x7FF}, char32_t{0x800}, char32_t{0xFFFF}, char32_t{0x10FFFF}}) {
    std::string text;
    append_utf8(text, code);
    size_t at = 0;
    CHECK(next_code_point(text, at) == code);
    CHECK(at == text.size());
  }
}

TEST_CASE("blanks are those of White_Space", "[tokenizer]") {
  std::vector<char32_t> blanks;
  for (char32_t code = 0; code <= 0x10FFFF; ++code)
    if (is_white_space(code)) blanks.push_back(code);
  CHECK(blanks == std::vector<char32_t>{9,      10,     11,     12,     13,     0x20,   0x85,   0xA0,   0x1680,
                                        0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008,
                                        0x2009, 0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000});
}

TEST_CASE("character classes", "[tokenizer]") {
  CHECK((is_letter('a') && is_letter(0xE9) && is_letter(0xD55C) && !is_letter(0x301) && !is_letter('1')));
  CHECK((is_number('1') && is_number(0xB2) && is_number(0xBD) && is_number(0x2168) && !is_number('a')));
  CHECK((is_mark(0x301) && is_mark(0x93E) && is_nonspacing_mark(0x301) && !is_nonspacing_mark(0x93E)));
  CHECK((is_punctuation('$') && is_punctuation('_') && is_punctuation(0x3002) && !is_punctuation(0x20AC)));
  CHECK((is_control(0) && is_control(0x200B) && is_control(0xE000) && !is_control(' ') && !is_control(0x0378)));
  CHECK((is_word('_') && is_word(0x301) && is_word(0x200D) && is_word('7') && !is_word(0xB2) && !is_word('-')));
}

TEST_CASE("normal forms, with the bytes that each part came from", "[tokenizer]") {
  CHECK(normal("e\u0301", NormalForm::kNfc) == "\u00e9");
  CHECK(normal("\u00e9", NormalForm::kNfd) == "e\u0301");
  CHECK(normal("\uFB01\u00B2", NormalForm::kNfkc) == "fi2");
  CHECK(normal("\u1112\u1161\u11ab", NormalForm::kNfc) == "\uD55C");
  CHECK(normal("\uD55C", NormalForm::kNfkd) == "\u1112\u1161\u11ab");
  CHECK(normal("a\u0323\u0302", NormalForm::kNfc) == "\u1EAD");
  CHECK(normal("plain", NormalForm::kNfc) == "plain");

  AlignedText text("xe\u0301y", 10);
  normalize_form(NormalForm::kNfc)(text);
  CHECK(text.text() == "x\u00e9y");
  CHECK(text.origin(0, 1) == TextSpan{10, 11});
  CHECK(text.origin(1, 3) == TextSpan{11, 14});
  CHECK(text.origin(3, 4) == TextSpan{14, 15});
  CHECK(text.slice(3, 4).origin(0, 1) == TextSpan{14, 15});
}

TEST_CASE("grapheme clusters", "[tokenizer]") {
  CHECK(grapheme_ends("a\r\nb") == std::vector<size_t>{1, 3, 4});
  CHECK(grapheme_ends("e\u0301x") == std::vector<size_t>{3, 4});
  CHECK(grapheme_ends("").empty());
}

TEST_CASE("the byte alphabet", "[tokenizer]") {
  CHECK(byte_letter(' ') == "\u0120");
  CHECK(byte_letter('\n') == "\u010A");
  CHECK(byte_letter(0) == "\u0100");
  CHECK(byte_letter(0x7F) == "\u0121");
  CHECK(byte_letter(0xAD) == "\u0143");
  CHECK(byte_letter('A') == "A");
  CHECK(byte_letter(0xE9) == "\u00E9");
  for (unsigned byte = 0; byte < 256; ++byte) {
    const auto back = bytes_of_letters(byte_letter(static_cast<unsigned char>(byte)));
    REQUIRE(back.has_value());
    CHECK(*back == std::string(1, static_cast<char>(byte)));
  }
  CHECK_FALSE(bytes_of_letters("a b").has_value());
  CHECK_FALSE(bytes_of_letters("\u2581").has_value());
}

}  // namespace lw::unicode_test
