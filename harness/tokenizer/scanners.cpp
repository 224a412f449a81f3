#include "harness/tokenizer/scanners.h"

#include <algorithm>

#include "harness/base/error.h"
#include "harness/tokenizer/unicode.h"

namespace lw {
namespace {

/// Walks over code points; a position is a byte offset, and the end of the text is in no class.
class Cursor {
 public:
  Cursor(std::string_view text, size_t at) : text_(text), at_(at) {}
  size_t at() const { return at_; }
  bool done() const { return at_ >= text_.size(); }
  char32_t peek() const {
    size_t at = at_;
    return next_code_point(text_, at);
  }
  void step() { next_code_point(text_, at_); }
  template <class Predicate>
  bool is(Predicate in_class) const {
    return !done() && in_class(peek());
  }
  /// Steps over code points of the class, up to `limit` of them; true if there was one.
  template <class Predicate>
  bool run(Predicate in_class, int limit = -1) {
    const size_t begin = at_;
    while (limit-- != 0 && is(in_class)) step();
    return at_ != begin;
  }

 private:
  std::string_view text_;
  size_t at_;
};

bool is_line_end(char32_t code) { return code == '\n' || code == '\r'; }

// 's 't 're 've 'm 'll 'd after the apostrophe; 0 if there is none. With any_case, U+017F is an s as well.
size_t contraction_end(std::string_view text, size_t at, bool any_case) {
  if (at >= text.size() || text[at] != '\'') return 0;
  const std::string_view rest = text.substr(at + 1, 2);
  const auto letter = [&](size_t i) {
    const char c = i < rest.size() ? rest[i] : '\0';
    return any_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  const char first = letter(0);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return at + 2;
  if (any_case && rest == "\xC5\xBF") return at + 3;
  const char second = letter(1);
  if ((first == 'r' && second == 'e') || (first == 'v' && second == 'e') || (first == 'l' && second == 'l'))
    return at + 3;
  return 0;
}

// \s+(?!\S)|\s+ : in a run of blanks before another character, all but the last; a single blank by itself.
size_t blanks_end(std::string_view text, size_t at) {
  Cursor cursor(text, at);
  size_t last = at;
  while (cursor.is(is_white_space)) {
    last = cursor.at();
    cursor.step();
  }
  return cursor.done() || last == at ? cursor.at() : last;
}

size_t gpt2_end(std::string_view text, size_t at) {
  if (const size_t end = contraction_end(text, at, false)) return end;
  Cursor cursor(text, at);
  if (cursor.peek() == ' ') cursor.step();
  const auto is_sign = [](char32_t c) { return !is_white_space(c) && !is_letter(c) && !is_number(c); };
  if (cursor.run(is_letter) || cursor.run(is_number) || cursor.run(is_sign)) return cursor.at();
  return blanks_end(text, at);
}

struct CasedPattern {
  int digits;  // how many numbers may stand in one piece
  bool marks;  // marks count as letters
};

size_t cased_end(std::string_view text, size_t at, CasedPattern pattern) {
  if (const size_t end = contraction_end(text, at, true)) return end;
  const auto is_wordy = [&](char32_t c) { return is_letter(c) || (pattern.marks && is_mark(c)); };
  Cursor word(text, at);
  const char32_t first = word.peek();
  if (!is_line_end(first) && !is_letter(first) && !is_number(first)) {  // any one sign or blank may lead a word
    word.step();
    if (word.run(is_wordy)) return word.at();
    word = Cursor(text, at);
  }
  if (word.run(is_wordy)) return word.at();
  if (word.run(is_number, pattern.digits)) return word.at();

  Cursor sign(text, at);
  if (first == ' ') sign.step();
  if (sign.run([&](char32_t c) { return !is_white_space(c) && !is_wordy(c) && !is_number(c); })) {
    sign.run(is_line_end);
    return sign.at();
  }
  size_t after_line = 0;  // \s*[\r\n]+ : up to the last line end among the blanks
  for (Cursor blank(text, at); blank.is(is_white_space);) {
    const bool line_end = is_line_end(blank.peek());
    blank.step();
    if (line_end) after_line = blank.at();
  }
  return after_line != 0 ? after_line : blanks_end(text, at);
}

size_t bloom_end(std::string_view text, size_t at) {
  static constexpr std::u32string_view kApart = U"(|).,!?\u2026\u3002\uFF0C\u3001\u0964\u06D4\u060C";
  const auto is_member = [](char32_t c) { return !is_white_space(c) && kApart.find(c) == std::u32string_view::npos; };
  Cursor cursor(text, at);
  if (cursor.peek() == ' ') cursor.step();
  return cursor.run(is_member) ? cursor.at() : 0;
}

/// @param end_of the end of the match that begins at a byte, or 0.
template <class EndOf>
Matcher scan(EndOf end_of) {
  return [end_of](std::string_view text) {
    std::vector<TextPart> parts;
    for (size_t at = 0; at < text.size();) {
      const size_t begin = at;
      const size_t end = end_of(text, at);
      if (end != 0) {
        parts.push_back({begin, end, true});
        at = end;
        continue;
      }
      next_code_point(text, at);
      if (!parts.empty() && !parts.back().match) {
        parts.back().end = at;
      } else {
        parts.push_back({begin, at, false});
      }
    }
    return parts;
  };
}

Matcher cased(CasedPattern pattern) {
  return scan([pattern](std::string_view text, size_t at) { return cased_end(text, at, pattern); });
}

}  // namespace

const std::vector<KnownPattern>& known_patterns() {
  static const std::vector<KnownPattern> kPatterns = {
      {"gpt2", R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)", scan(gpt2_end)},
      {"llama3",
       R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
       cased({3, false})},
      {"qwen2",
       R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
       cased({1, false})},
      {"qwen35",
       R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
       cased({1, true})},
      {"bloom", " ?[^(\\s|[.,!?\u2026\u3002\uFF0C\u3001\u0964\u06D4\u060C])]+", scan(bloom_end)},
  };
  return kPatterns;
}

const KnownPattern& known_pattern(std::string_view name) {
  const auto& patterns = known_patterns();
  const auto found = std::find_if(patterns.begin(), patterns.end(), [&](const auto& p) { return p.name == name; });
  LW_CHECK(found != patterns.end(), "no known pattern has this name: " + std::string(name));
  return *found;
}

}  // namespace lw
