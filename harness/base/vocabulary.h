// The tokens that a suite may use, whatever the model. Each symbol is exactly one token, so lengths and distances are
// exact by construction.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lw {

using Token = int64_t;

/// Text as a model reads it: the part of a checkpoint's tokenizer that suites use.
class TextCodec {
 public:
  virtual ~TextCodec() = default;
  /// Ids of a piece inside a text: nothing is added before or after it, and its leading space counts. Suites join
  /// encoded pieces and never encode the whole, so that lengths and places are exact.
  /// @throws Error(kInput) for text that cannot be encoded.
  virtual std::vector<Token> encode(std::string_view piece) const = 0;
  virtual std::string decode(const std::vector<Token>& tokens) const = 0;
  /// One more than the highest id.
  virtual Token size() const = 0;
  /// The token that the tokenizer puts before a text (BOS, [CLS]).
  virtual std::optional<Token> begin() const = 0;
  /// What a bidirectional model sees in place of a token that it must predict.
  virtual std::optional<Token> mask() const = 0;
};

/// What one suite sees of a model's vocabulary.
struct Vocabulary {
  std::vector<Token> symbols;       // distinct one-token symbols, in a fixed order; suites index into these
  Token ask = 0;                    // ends the haystack, begins the question
  std::optional<Token> begin;       // put first when the model was trained with one
  const TextCodec* text = nullptr;  // null for models that are trained here: they read symbols alone
};

}  // namespace lw
