// The normalizer "Precompiled": the character map of a SentencePiece model, a double-array trie and the texts
// that its leaves point to.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "harness/tokenizer/aligned_text.h"

namespace lw {

/// @param base64 the map as tokenizer.json holds it. @throws Error(kInput) if it points outside itself.
///
/// Follows the tokenizers library, not SentencePiece: a grapheme cluster of fewer than six bytes is replaced as a whole
/// by the entry for its shortest prefix in the map; else each of its code points is replaced on its own.
std::function<void(AlignedText& text)> charsmap_normalizer(const std::string& base64, const std::string& place);
/// The same from the map itself, as GGUF files hold it.
std::function<void(AlignedText& text)> charsmap_of_bytes(const std::string& bytes, const std::string& place);

/// What the sentencepiece library puts in place of the longest prefix of a text that is in the map.
struct CharsmapEntry {
  std::string_view replacement;  // lives as long as the function that gave it
  size_t length = 0;             // bytes of the prefix
};
/// @returns a function from a text to the entry, absent where no prefix is in the map. @throws as above.
std::function<std::optional<CharsmapEntry>(std::string_view text)> longest_in_charsmap(const std::string& bytes,
                                                                                       const std::string& place);

}  // namespace lw
