// A checkpoint's tokenizer as suites see it.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "harness/base/vocabulary.h"
#include "harness/experiment/bos_rule.h"
#include "harness/tokenizer/tokenizer.h"

namespace lw {

class TokenCodec final : public TextCodec {
 public:
  /// @param rows of the model's embedding. @param place the checkpoint, for errors.
  /// @throws Error(kInput) for a tokenizer whose own tokens exceed the rows, and as bos_rule() does. Added tokens
  /// beyond them only give notes(): published files have such (Gemma 3's <image_soft_token> beside the text model of
  /// 1B).
  TokenCodec(Tokenizer tokenizer, int64_t rows, const std::string& place, AddBos add_bos = AddBos::kAuto);

  /// @throws Error(kInput) also for text with a token beyond the rows.
  std::vector<Token> encode(std::string_view piece) const override;
  std::string decode(const std::vector<Token>& tokens) const override;
  /// The count of ids that have both a row and a token.
  Token size() const override { return std::min(tokenizer_.size(), rows_); }
  /// BOS, by bos().
  std::optional<Token> begin() const override { return bos_.id; }
  std::optional<Token> mask() const override;

  const Tokenizer& tokenizer() const { return tokenizer_; }
  const BosRule& bos() const { return bos_; }
  /// A whole text as the model reads it: with BOS by bos(), and with what the tokenizer puts behind. `bytes` of each
  /// id: the text's, from where the ids before it end.
  struct WholeText {
    std::vector<Token> ids;
    std::vector<int64_t> bytes;
  };
  WholeText encode_whole(std::string_view text) const;
  /// T5's <extra_id_0>, <extra_id_1>, ...; empty where the vocabulary has none.
  std::vector<Token> sentinels() const;
  /// What a user should know about how the tokenizer was read, and about tokens that the model has no row for.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  /// Text that a piece is encoded behind, and whose ids are then removed: SentencePiece puts a space before the first
  /// character of a text, which a piece inside a text does not have.
  struct Anchor {
    std::string text;
    std::vector<Token> ids;
  };
  void check_rows(const std::string& place);
  std::string shown(Token id) const;

  Tokenizer tokenizer_;
  int64_t rows_;
  BosRule bos_;
  std::vector<std::string> notes_;
  std::vector<Anchor> anchors_;
};

}  // namespace lw
