// Divides the token ids of one model among its suites.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "suites/suite.h"

namespace lw {

class VocabularyPlan {
 public:
  /// For a model that is trained here. Ids: 0 ask, 1 mask, 2 begin, then each suite's symbols in the order given.
  /// Suites share no symbol, so the role of a token never depends on the suite of its sequence.
  VocabularyPlan(const std::vector<const Suite*>& suites, bool begin_token);
  /// For a checkpoint. Symbols are words that are one token of its tokenizer: first those of a built-in English list,
  /// then, lowest ids first, three or more lower-case ASCII letters after a space. Every suite takes the first ones, so
  /// that its probes do not depend on the suites beside it. The ask token is "?", or ":", or a word where neither is
  /// one token.
  /// @param text outlives the plan. @throws Error(kConfig) when the tokenizer has too few such words.
  VocabularyPlan(const std::vector<const Suite*>& suites, const TextCodec& text);

  int64_t size() const { return size_; }
  /// What a bidirectional model sees in place of a token that it must predict; nullopt if a tokenizer has none.
  [[nodiscard]] std::optional<Token> mask() const { return mask_; }
  /// @param suite index into the list given to the constructor.
  const Vocabulary& of(size_t suite) const { return parts_[suite]; }
  /// The readable form of a token of one suite: "ask", "mask", "begin" or the suite's own name for it; for a checkpoint
  /// its text, leading space included.
  [[nodiscard]] std::string token_name(size_t suite, Token token) const;

  static constexpr Token kAsk = 0, kMask = 1, kBegin = 2, kFirstSymbol = 3;

 private:
  std::vector<const Suite*> suites_;
  std::vector<Vocabulary> parts_;
  int64_t size_ = kFirstSymbol;
  std::optional<Token> mask_ = kMask;
  const TextCodec* text_ = nullptr;
};

}  // namespace lw
