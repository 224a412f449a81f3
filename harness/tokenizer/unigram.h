// The Unigram language model (Kudo 2018, arXiv 1804.10959): of all ways to write the text as pieces, the one with
// the highest sum of scores (Viterbi, linear in the length of the text).
#pragma once
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/tokenizer/token_model.h"

namespace lw {

/// To choose as the sentencepiece library does: it adds float32, and prefers pieces that a user defined.
struct SentencePieceRules {
  std::set<uint32_t> user_defined;
  std::set<uint32_t> bytes;  // tokens for bytes, which no text spells out
  float worst = 0;           // score of a normal piece
};

struct UnigramOptions {
  std::optional<uint32_t> unknown;
  bool byte_fallback = false;
  std::set<uint32_t> special;  // pieces that are chosen only with parse_special

  std::optional<SentencePieceRules> sentencepiece;
};

/// A character that no piece covers scores 10 less than the worst piece; consecutive ones are one token.
/// @param scores log probabilities, one per id.
std::unique_ptr<TokenModel> make_unigram(TokenTable table, const std::vector<double>& scores,
                                         const UnigramOptions& options, const std::string& place);

}  // namespace lw
