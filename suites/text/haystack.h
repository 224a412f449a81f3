// Running text to hide facts in: made-up sentences of a language, or the sentences of a file.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "harness/base/rng.h"
#include "harness/base/vocabulary.h"
#include "suites/text/language.h"

namespace lw {

/// Tokens, and the places in [0, tokens] where a sentence ends and none is cut.
struct RunningText {
  std::vector<Token> tokens;
  std::vector<int64_t> seams;  // ascending; the end is always one
};

class Haystack {
 public:
  Haystack() = default;
  /// Sentences drawn by the language's patterns, never one twice in a row.
  Haystack(const Language& language, const TextCodec& text);
  /// Sentences of a file from a random one on; after the last comes the first.
  Haystack(std::string_view file, const TextCodec& text);

  /// Exactly `length` tokens. All sentences are whole except the first, whose beginning may be cut off.
  [[nodiscard]] RunningText draw(int64_t length, Rng& rng) const;
  /// Tokens of the file; nullopt for made-up sentences, of which there is no end.
  std::optional<int64_t> tokens() const;

 private:
  using Tokens = std::vector<Token>;
  /// @param last the sentence before, empty for the first.
  Tokens make_up(const Tokens& last, Rng& rng) const;

  std::vector<std::vector<Tokens>> parts_;
  std::vector<std::vector<size_t>> patterns_;
  Tokens stop_;
  std::vector<Tokens> sentences_;  // of a file
};

/// Cuts a text into sentences, each with the white space before it: after full stops, at line ends, and inside
/// sentences longer than a few hundred bytes. Joined, they give the text.
[[nodiscard]] std::vector<std::string_view> split_sentences(std::string_view text);

}  // namespace lw
