// What turns one piece of text into tokens: BPE, Unigram or WordPiece.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/tokenizer/token_table.h"

namespace lw {

/// A token and the bytes [begin, end) of the piece that it stands for.
struct PieceToken {
  uint32_t id = 0;
  uint32_t begin = 0;
  uint32_t end = 0;
};

class TokenModel {
 public:
  explicit TokenModel(TokenTable table) : table_(std::move(table)) {}
  virtual ~TokenModel() = default;
  /// Appends the tokens of a piece that is not empty. @throws Error(kInput) where the model has no token for a part.
  /// @param parse_special a special token spelled out in the piece may be chosen.
  virtual void encode(std::string_view piece, bool parse_special, std::vector<PieceToken>& tokens) const = 0;
  /// The token for text that the vocabulary lacks.
  virtual std::optional<uint32_t> unknown() const = 0;
  const TokenTable& table() const { return table_; }

 protected:
  TokenTable table_;
};

}  // namespace lw
