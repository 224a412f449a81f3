#include "harness/tokenizer/regex.h"

#include <memory>
#include <optional>

#include "harness/base/error.h"
#include "harness/base/text.h"
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace lw {
namespace {

// \s of Oniguruma is White_Space. PCRE2's counts U+180E as well.
constexpr const char* kSpace =
    R"(\x{09}-\x{0d}\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";
constexpr const char* kNotSpace =
    R"(\x{00}-\x{08}\x{0e}-\x{1f}\x{21}-\x{84}\x{86}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{10ffff})";

class Translator {
 public:
  Translator(const std::string& pattern, const std::string& place) : pattern_(pattern), place_(place) {}

  std::string run() {
    while (at_ < pattern_.size()) {
      const char c = pattern_[at_];
      if (c == '\\') {
        escape();
      } else if (c == '[') {
        open_class();
      } else if (c == ']' && in_class_) {
        in_class_ = false;
        take(1);
      } else if (c == '&' && in_class_ && pattern_.compare(at_, 2, "&&") == 0) {
        refuse("&&", "an intersection of classes");
      } else if (c == '(' && !in_class_) {
        group();
      } else if ((c == '^' || c == '$') && !in_class_) {
        refuse(std::string(1, c), "an anchor, which has another meaning there");
      } else if (!in_class_ && (pattern_.compare(at_, 2, "{,") == 0 || pattern_.compare(at_, 2, "}+") == 0)) {
        refuse(pattern_.substr(at_, 2), "a repetition that has another meaning there");
      } else {
        take(1);
      }
    }
    return out_;
  }

 private:
  [[noreturn]] void refuse(const std::string& found, const std::string& meaning) const {
    throw Error(ErrorKind::kInput,
                place_ + ": " +
                    found_what(found, " (", meaning, ") in the pattern ", pattern_)
                        .allowed("classes, groups, look-around, repetition, \\s \\S \\d \\D \\p \\P \\r \\n \\t"));
  }
  void take(size_t count) {
    out_ += pattern_.substr(at_, count);
    at_ += count;
  }
  void replace(size_t count, const std::string& with) {
    out_ += with;
    at_ += count;
  }

  void open_class() {
    if (in_class_) refuse("[", "a class inside a class");
    in_class_ = true;
    take(1);
    if (pattern_.compare(at_, 1, "^") == 0) take(1);
    if (pattern_.compare(at_, 1, "]") == 0) refuse("[]", "a class that begins with ]");
  }

  void group() {
    static constexpr const char* kKnown[] = {"(?:", "(?=", "(?!", "(?<=", "(?<!", "(?i:", "(?>"};
    for (const char* known : kKnown)
      if (pattern_.compare(at_, std::char_traits<char>::length(known), known) == 0)
        return take(std::char_traits<char>::length(known));
    if (pattern_.compare(at_, 2, "(?") == 0 || pattern_.compare(at_, 2, "(*") == 0)
      refuse(pattern_.substr(at_, 3), "a kind of group");
    take(1);
  }

  void escape() {
    if (at_ + 1 >= pattern_.size()) refuse("\\", "an escape of nothing");
    const char c = pattern_[at_ + 1];
    const auto as_class = [&](const std::string& members) { return in_class_ ? members : "[" + members + "]"; };
    if (c == 's') return replace(2, as_class(kSpace));
    if (c == 'S') return replace(2, as_class(kNotSpace));
    if (c == 'd') return replace(2, "\\p{Nd}");
    if (c == 'D') return replace(2, "\\P{Nd}");
    if (c == 'p' || c == 'P') return property();
    if (c == 'u') return code_point();
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (word && c != 'r' && c != 'n' && c != 't' && c != 'f') refuse(std::string("\\") + c, "an escape");
    take(2);
  }

  void property() {
    const size_t end = pattern_.find('}', at_);
    if (pattern_.compare(at_ + 2, 1, "{") != 0 || end == std::string::npos)
      refuse(pattern_.substr(at_, 3), "a property without braces");
    take(end + 1 - at_);
  }

  void code_point() {
    const std::string digits = pattern_.substr(at_ + 2, 4);
    if (digits.size() != 4 || digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
      refuse("\\u" + digits, "a code point without four digits");
    replace(6, "\\x{" + digits + "}");
  }

  const std::string& pattern_;
  const std::string& place_;
  std::string out_;
  size_t at_ = 0;
  bool in_class_ = false;
};

struct CodeFree {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
struct MatchFree {
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};

std::string pcre2_message(int code) {
  PCRE2_UCHAR text[256] = {};
  pcre2_get_error_message(code, text, sizeof(text));
  return reinterpret_cast<const char*>(text);
}

std::shared_ptr<pcre2_code> compile(const std::string& pattern, const std::string& place) {
  const std::string translated = translate_pattern(pattern, place);
  int fault = 0;
  size_t offset = 0;
  const std::shared_ptr<pcre2_code> code(
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(), PCRE2_UTF | PCRE2_UCP, &fault,
                    &offset, nullptr),
      CodeFree{});
  if (code == nullptr)
    throw Error(ErrorKind::kInput, place + ": the pattern " + pattern + " is not understood: " + pcre2_message(fault) +
                                       "; allowed: what PCRE2 compiles");
  uint32_t matches_empty = 0;
  pcre2_pattern_info(code.get(), PCRE2_INFO_MATCHEMPTY, &matches_empty);
  if (matches_empty != 0)
    throw Error(ErrorKind::kInput,
                place + ": the pattern " + pattern + " can match the empty text; allowed: a pattern that cannot");
  return code;
}

}  // namespace

std::string translate_pattern(const std::string& pattern, const std::string& place) {
  return Translator(pattern, place).run();
}

Matcher match_regex(const std::string& pattern, const std::string& place) {
  return [code = compile(pattern, place), place](std::string_view text) {
    const std::unique_ptr<pcre2_match_data, MatchFree> data(pcre2_match_data_create_from_pattern(code.get(), nullptr));
    std::vector<TextPart> parts;
    size_t done = 0;
    while (done < text.size()) {
      const int found = pcre2_match(code.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), done,
                                    PCRE2_NO_UTF_CHECK, data.get(), nullptr);
      if (found == PCRE2_ERROR_NOMATCH) break;
      if (found < 0) throw Error(ErrorKind::kRuntime, place + ": PCRE2 gave up: " + pcre2_message(found));
      const size_t begin = pcre2_get_ovector_pointer(data.get())[0];
      const size_t end = pcre2_get_ovector_pointer(data.get())[1];
      if (end <= done) throw Error(ErrorKind::kRuntime, place + ": an empty match");
      if (done < begin) parts.push_back({done, begin, false});
      parts.push_back({begin, end, true});
      done = end;
    }
    if (done < text.size()) parts.push_back({done, text.size(), false});
    return parts;
  };
}

}  // namespace lw
