// The normalizer "Precompiled": the character map of a SentencePiece model, a double-array trie and the texts
// that its leaves point to.
#pragma once
#include <functional>
#include <string>

#include "harness/tokenizer/aligned_text.h"

namespace lw {

/// @param base64 the map as tokenizer.json holds it. @throws Error(kInput) if it points outside itself.
///
/// Follows the tokenizers library, not SentencePiece: a grapheme cluster of fewer than six bytes is replaced as a whole
/// by the entry for its shortest prefix in the map; else each of its code points is replaced on its own.
std::function<void(AlignedText& text)> charsmap_normalizer(const std::string& base64, const std::string& place);
/// The same from the map itself, as GGUF files hold it.
std::function<void(AlignedText& text)> charsmap_of_bytes(const std::string& bytes, const std::string& place);

}  // namespace lw
