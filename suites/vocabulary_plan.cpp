#include "suites/vocabulary_plan.h"

#include <algorithm>

#include "harness/base/error.h"
#include "harness/base/text.h"
#include "suites/text/language.h"
#include "suites/text/single_token.h"

namespace lw {
namespace {

bool is_whole_word(const TextCodec& text, Token token) {
  constexpr size_t kLeastLetters = 3;
  const auto shown = token_text(text, token);
  if (!shown) return false;
  const std::string_view word = without_leading_spaces(*shown);
  const bool letters = std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return word.size() >= kLeastLetters && letters && single_token(text, " " + std::string(word)) == token;
}

/// `count` words that are not in `taken`: English ones that are one token, then, in order of id, whatever looks like a
/// word, which may be the beginning of one. Stops at `count`, since a vocabulary is long.
std::vector<Token> whole_words(const TextCodec& text, int64_t count, const std::vector<Token>& taken) {
  std::vector<Token> words;
  const auto add = [&](Token t) {
    const bool known = std::find(taken.begin(), taken.end(), t) != taken.end() ||
                       std::find(words.begin(), words.end(), t) != words.end();
    if (!known && int64_t(words.size()) < count) words.push_back(t);
  };
  for (const auto word : english().words)
    if (const auto token = single_token(text, " " + std::string(word))) add(*token);
  for (Token t = 0; t < text.size() && int64_t(words.size()) < count; ++t)
    if (is_whole_word(text, t)) add(t);
  if (int64_t(words.size()) < count)
    throw Error(
        ErrorKind::kConfig,
        "suites: " + found_what("a tokenizer with ", format_grouped(int64_t(words.size())), " words that are one token")
                         .allowed(format_grouped(count), " or more, one for each symbol of the suites"));
  return words;
}

}  // namespace

VocabularyPlan::VocabularyPlan(const std::vector<const Suite*>& suites, bool begin_token) : suites_(suites) {
  for (const Suite* suite : suites) {
    Vocabulary part;
    for (int64_t i = 0; i < suite->symbols(); ++i) part.symbols.push_back(size_++);
    part.ask = kAsk;
    if (begin_token) part.begin = kBegin;
    parts_.push_back(std::move(part));
  }
}

VocabularyPlan::VocabularyPlan(const std::vector<const Suite*>& suites, const TextCodec& text)
    : suites_(suites), size_(text.size()), mask_(text.mask()), text_(&text) {
  std::vector<Token> taken;
  for (const auto& special : {text.begin(), text.mask()})
    if (special) taken.push_back(*special);
  std::optional<Token> ask;
  for (const char* mark : {"?", " ?", ":"})
    if (!ask) ask = single_token(text, mark);

  int64_t count = 0;
  for (const Suite* suite : suites) count = std::max(count, suite->symbols());
  const auto words = whole_words(text, count + (ask ? 0 : 1), taken);
  auto first = words.begin();
  if (!ask) ask = *first++;
  for (const Suite* suite : suites) parts_.push_back({{first, first + suite->symbols()}, *ask, text.begin(), &text});
}

std::string VocabularyPlan::token_name(size_t suite, Token token) const {
  if (text_ != nullptr) return token_text(*text_, token).value_or("#" + std::to_string(token));
  if (token == kAsk) return "ask";
  if (token == kMask) return "mask";
  if (token == kBegin) return "begin";
  const auto& symbols = parts_[suite].symbols;
  if (symbols.empty() || token < symbols.front() || token > symbols.back()) return "#" + std::to_string(token);
  return suites_[suite]->symbol_name(token - symbols.front());
}

}  // namespace lw
