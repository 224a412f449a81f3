#include "harness/tokenizer/bert_normalizer.h"

#include <utility>
#include <vector>

#include "harness/tokenizer/normalizer.h"

namespace lw {
namespace {

// The ranges of BERT's own code, which are fewer than what Unicode calls ideographs today.
bool is_ideograph(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x20000 && c <= 0x2A6DF) ||
         (c >= 0x2A700 && c <= 0x2B73F) || (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

void clean(char32_t c, std::string& out) {
  const bool blank = is_white_space(c);
  const bool kept_control = c == '\t' || c == '\n' || c == '\r';
  if (c == 0 || c == 0xFFFD || (is_control(c) && !kept_control)) return;
  append_utf8(out, blank ? U' ' : c);
}

void set_apart(char32_t c, std::string& out) {
  const bool apart = is_ideograph(c);
  if (apart) out += ' ';
  append_utf8(out, c);
  if (apart) out += ' ';
}

void drop_accent(char32_t c, std::string& out) {
  if (!is_nonspacing_mark(c)) append_utf8(out, c);
}

}  // namespace

Normalizer map_code_points(std::function<void(char32_t code, std::string& out)> map) {
  return [map = std::move(map)](AlignedText& text) {
    TextEdit edit(text);
    const std::string& old = text.text();
    std::string out;
    for (size_t at = 0; at < old.size();) {
      const size_t begin = at;
      out.clear();
      map(next_code_point(old, at), out);
      if (std::string_view(old).substr(begin, at - begin) == out) {
        edit.keep(begin, at);
      } else {
        edit.put(out, begin, at);
      }
    }
    edit.finish();
  };
}

Normalizer bert_normalizer(const BertOptions& options) {
  std::vector<Normalizer> steps;
  if (options.clean_text) steps.push_back(map_code_points(clean));
  if (options.handle_chinese_chars) steps.push_back(map_code_points(set_apart));
  if (options.strip_accents) {
    steps.push_back(normalize_form(NormalForm::kNfd));
    steps.push_back(map_code_points(drop_accent));
  }
  if (options.lowercase) steps.push_back(map_code_points([](char32_t c, std::string& out) { append_lower(out, c); }));
  return [steps = std::move(steps)](AlignedText& text) {
    for (const Normalizer& step : steps) step(text);
  };
}

}  // namespace lw
