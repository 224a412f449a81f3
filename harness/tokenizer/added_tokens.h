// Tokens beside the model's: texts that are cut out of the input before the model sees the rest.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/tokenizer/normalizer.h"
#include "harness/tokenizer/pair_table.h"

namespace lw {

struct AddedToken {
  uint32_t id = 0;
  std::string content;
  bool single_word = false;  // no word character may touch it
  bool lstrip = false;       // takes the blanks before it
  bool rstrip = false;       // takes the blanks after it
  bool normalized = false;   // is sought in the normalised text
  bool special = false;      // is no text: sought only where specials are asked for, left out on request by decode
};

/// A part of a text: an added token, or what lies between two.
struct AddedMatch {
  size_t begin = 0;
  size_t end = 0;
  const AddedToken* token = nullptr;
};

class AddedTokens {
 public:
  AddedTokens() = default;
  /// @param normalizer what `normalized` tokens are sought in the form of; empty for none.
  AddedTokens(std::vector<AddedToken> tokens, const Normalizer& normalizer);

  /// Leftmost, longest, without overlap. @param normalized which tokens to seek: those for normalised text or for raw.
  /// @return parts that cover the text.
  std::vector<AddedMatch> find(std::string_view text, bool normalized, bool parse_special) const;
  const AddedToken* by_id(int64_t id) const;
  const std::vector<AddedToken>& all() const { return tokens_; }

 private:
  /// A trie over bytes; values are indices into tokens_.
  struct Trie {
    PairTable edges;
    std::vector<uint32_t> ends;
    void add(std::string_view text, uint32_t index);
    /// The longest token that begins at byte `at`.
    std::optional<uint32_t> longest(std::string_view text, size_t at, size_t& end) const;
  };
  std::vector<AddedToken> tokens_;
  std::unordered_map<uint32_t, size_t> by_id_;
  Trie raw_;
  Trie normalised_;
};

}  // namespace lw
