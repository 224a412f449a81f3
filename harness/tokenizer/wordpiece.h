// WordPiece (Wu et al. 2016, arXiv 1609.08144, as BERT uses it): the longest token that the
// word starts with, then the same for the rest; a word that cannot be split this way is one unknown token.
#pragma once
#include <memory>
#include <string>

#include "harness/tokenizer/token_model.h"

namespace lw {

struct WordPieceOptions {
  uint32_t unknown = 0;
  std::string continuing_prefix = "##";
  size_t longest_word = 100;  // in code points; a longer word is unknown
};

std::unique_ptr<TokenModel> make_wordpiece(TokenTable table, const WordPieceOptions& options);

}  // namespace lw
