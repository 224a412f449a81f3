// Which token ids belong to which suite when several suites are trained in one model.
#pragma once
#include <string>
#include <vector>

#include "suites/suite.h"

namespace lw {

/// Ids: 0 ask, 1 mask, 2 begin, then each suite's symbols in the order given. Suites share no symbol, so
/// a token's role never depends on which suite a sequence came from.
class VocabularyPlan {
 public:
  VocabularyPlan(const std::vector<const Suite*>& suites, bool begin_token);

  int64_t size() const { return size_; }
  /// @param suite index into the list given to the constructor.
  const Vocabulary& of(size_t suite) const { return parts_[suite]; }
  /// A token of one suite as people read it: "ask", "mask", "begin" or the suite's own name for it.
  std::string token_name(size_t suite, Token token) const;

  static constexpr Token kAsk = 0, kMask = 1, kBegin = 2, kFirstSymbol = 3;

 private:
  std::vector<const Suite*> suites_;
  std::vector<Vocabulary> parts_;
  int64_t size_ = kFirstSymbol;
};

}  // namespace lw
