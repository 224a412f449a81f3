#include "harness/tokenizer/unicode.h"

#include <unicode/brkiter.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/utext.h>

#include <memory>

#include "harness/base/error.h"
#include "harness/base/text.h"

namespace lw {
namespace {

uint32_t category(char32_t code) { return U_GET_GC_MASK(static_cast<UChar32>(code)); }

void require_icu(UErrorCode status, const char* what) {
  if (U_FAILURE(status) != 0) throw Error(ErrorKind::kRuntime, text("ICU: ", what, ": ", u_errorName(status)));
}

const icu::Normalizer2& normalizer_of(NormalForm form) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* found = nullptr;
  switch (form) {
    case NormalForm::kNfc:
      found = icu::Normalizer2::getNFCInstance(status);
      break;
    case NormalForm::kNfd:
      found = icu::Normalizer2::getNFDInstance(status);
      break;
    case NormalForm::kNfkc:
      found = icu::Normalizer2::getNFKCInstance(status);
      break;
    case NormalForm::kNfkd:
      found = icu::Normalizer2::getNFKDInstance(status);
      break;
  }
  require_icu(status, "normalisation");
  return *found;
}

bool is_normal(const icu::Normalizer2& normalizer, std::string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::StringPiece piece(text.data(), static_cast<int32_t>(text.size()));
  const bool normal = normalizer.isNormalizedUTF8(piece, status) != 0;
  require_icu(status, "normalisation");
  return normal;
}

}  // namespace

Utf8Step utf8_step(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(at);
  if (lead < 0x80) return {lead, 1, true};
  if (lead < 0xC2 || lead > 0xF4) return {0, 1, false};
  const size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  // The first continuation byte is what excludes long forms, surrogates and codes above U+10FFFF.
  unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  char32_t code = lead & (0x7FU >> length);
  for (size_t i = 1; i < length; ++i) {
    if (at + i >= text.size() || byte(at + i) < low || byte(at + i) > high) return {0, i, false};
    code = code << 6 | (byte(at + i) & 0x3FU);
    low = 0x80;
    high = 0xBF;
  }
  return {code, length, true};
}

void append_utf8(std::string& text, char32_t code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static constexpr unsigned kLead[] = {0, 0xC0, 0xE0, 0xF0};
  text += static_cast<char>(kLead[more] | code >> (6 * more));
  for (int i = more - 1; i >= 0; --i) text += static_cast<char>(0x80U | (code >> (6 * i) & 0x3FU));
}

size_t find_invalid_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_step(text, at);
    if (!step.valid) return at;
    at += step.length;
  }
  return std::string_view::npos;
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_step(text, at);
    valid += step.valid ? text.substr(at, step.length) : std::string_view("\xEF\xBF\xBD");
    at += step.length;
  }
  return valid;
}

bool is_white_space(char32_t code) {
  if (code < 0x80) return code == ' ' || (code >= 9 && code <= 13);
  return u_isUWhiteSpace(static_cast<UChar32>(code)) != 0;
}
bool is_letter(char32_t code) { return (category(code) & U_GC_L_MASK) != 0; }
bool is_number(char32_t code) { return (category(code) & U_GC_N_MASK) != 0; }
bool is_mark(char32_t code) { return (category(code) & U_GC_M_MASK) != 0; }
bool is_nonspacing_mark(char32_t code) { return (category(code) & U_GC_MN_MASK) != 0; }
bool is_punctuation(char32_t code) {
  if (code < 0x80) return code > ' ' && code < 0x7F && !is_letter(code) && !is_number(code);
  return (category(code) & U_GC_P_MASK) != 0;
}
bool is_control(char32_t code) {
  return (category(code) & (U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK | U_GC_CS_MASK)) != 0;
}
bool is_word(char32_t code) {
  return (category(code) & (U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK)) != 0 || code == 0x200C || code == 0x200D ||
         u_hasBinaryProperty(static_cast<UChar32>(code), UCHAR_ALPHABETIC) != 0;
}

void append_lower(std::string& text, char32_t code) {
  if (code == 0x130) {  // the one code point whose lower case is two: i and a dot above
    text += "i\xCC\x87";
  } else {
    append_utf8(text, static_cast<char32_t>(u_tolower(static_cast<UChar32>(code))));
  }
}

void normalise_parts(std::string_view text, NormalForm form,
                     const std::function<void(size_t begin, size_t end, std::string_view normal)>& part) {
  const icu::Normalizer2& normalizer = normalizer_of(form);
  if (text.empty() || is_normal(normalizer, text)) {
    if (!text.empty()) part(0, text.size(), text);
    return;
  }
  std::string normal;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin;
    next_code_point(text, end);
    while (end < text.size()) {
      size_t next = end;
      if (normalizer.hasBoundaryBefore(static_cast<UChar32>(next_code_point(text, next))) != 0) break;
      end = next;
    }
    const std::string_view piece = text.substr(begin, end - begin);
    UErrorCode status = U_ZERO_ERROR;
    normal.clear();
    normalizer.normalize(icu::UnicodeString::fromUTF8({piece.data(), static_cast<int32_t>(piece.size())}), status)
        .toUTF8String(normal);
    require_icu(status, "normalisation");
    part(begin, end, normal);
    begin = end;
  }
}

std::vector<size_t> grapheme_ends(std::string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<UText, decltype(&utext_close)> source(
      utext_openUTF8(nullptr, text.data(), static_cast<int64_t>(text.size()), &status), &utext_close);
  const std::unique_ptr<icu::BreakIterator> breaks(
      icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), status));
  require_icu(status, "grapheme clusters");
  breaks->setText(source.get(), status);
  require_icu(status, "grapheme clusters");
  std::vector<size_t> ends;
  breaks->first();
  for (int32_t end = breaks->next(); end != icu::BreakIterator::DONE; end = breaks->next())
    ends.push_back(static_cast<size_t>(end));
  return ends;
}

}  // namespace lw
