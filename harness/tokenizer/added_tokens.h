// Tokens beside the model's own: strings that are cut out of the input before the model sees the rest.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/tokenizer/byte_trie.h"
#include "harness/tokenizer/normalizer.h"

namespace lw {

struct AddedToken {
  uint32_t id = 0;
  std::string content;
  bool single_word = false;  // no word character may touch it
  bool lstrip = false;       // also consumes the whitespace before it
  bool rstrip = false;       // also consumes the whitespace after it
  bool normalized = false;   // matched in the normalised text
  bool special = false;      // matched only with parse_special; decode can skip it
};

/// A part of a text: an added token, or the text between two.
struct AddedMatch {
  size_t begin = 0;
  size_t end = 0;
  const AddedToken* token = nullptr;
};

class AddedTokens {
 public:
  AddedTokens() = default;
  /// @param normalizer how the text is normalised before `normalized` tokens are matched; empty: not.
  AddedTokens(std::vector<AddedToken> tokens, const Normalizer& normalizer);

  /// The leftmost, longest matches, without overlap. @param normalized match the tokens for normalised or for raw text.
  /// @return parts that cover the text.
  std::vector<AddedMatch> find(std::string_view text, bool normalized, bool parse_special) const;
  const AddedToken* by_id(int64_t id) const;
  const std::vector<AddedToken>& all() const { return tokens_; }

 private:
  std::vector<AddedToken> tokens_;
  std::unordered_map<uint32_t, size_t> by_id_;
  ByteTrie raw_, normalised_;  // values are indices into tokens_
};

}  // namespace lw
