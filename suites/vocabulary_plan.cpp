#include "suites/vocabulary_plan.h"

namespace lw {

VocabularyPlan::VocabularyPlan(const std::vector<const Suite*>& suites, bool begin_token) : suites_(suites) {
  for (const Suite* suite : suites) {
    Vocabulary part;
    for (int64_t i = 0; i < suite->symbols(); ++i) part.symbols.push_back(size_++);
    part.ask = kAsk;
    if (begin_token) part.begin = kBegin;
    parts_.push_back(std::move(part));
  }
}

std::string VocabularyPlan::token_name(size_t suite, Token token) const {
  if (token == kAsk) return "ask";
  if (token == kMask) return "mask";
  if (token == kBegin) return "begin";
  const Token first = parts_[suite].symbols.front(), last = parts_[suite].symbols.back();
  if (token < first || token > last) return "#" + std::to_string(token);
  return suites_[suite]->symbol_name(token - first);
}

}  // namespace lw
