// A checkpoint's tokenizer as suites see it.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/base/vocabulary.h"
#include "harness/tokenizer/tokenizer.h"

namespace lw {

class TokenCodec final : public TextCodec {
 public:
  explicit TokenCodec(Tokenizer tokenizer);

  std::vector<Token> encode(std::string_view piece) const override;
  std::string decode(const std::vector<Token>& tokens) const override;
  Token size() const override { return tokenizer_.size(); }
  std::optional<Token> begin() const override;
  std::optional<Token> mask() const override;

  const Tokenizer& tokenizer() const { return tokenizer_; }
  /// T5's <extra_id_0>, <extra_id_1>, ...; empty where the vocabulary has none.
  std::vector<Token> sentinels() const;

 private:
  /// Text that a piece is encoded behind and whose ids are then taken off: SentencePiece puts a space of its own
  /// before the first character of a text, which a piece inside a text does not have.
  struct Anchor {
    std::string text;
    std::vector<Token> ids;
  };
  Tokenizer tokenizer_;
  std::vector<Anchor> anchors_;
};

}  // namespace lw
