// The normalizer "Precompiled": the character map of a SentencePiece model, a double-array trie and the texts
// that its leaves point to.
#pragma once
#include <functional>
#include <string>

#include "harness/tokenizer/aligned_text.h"

namespace lw {

/// @param base64 the map as tokenizer.json holds it. @throws Error(kInput) if it points outside of itself.
///
/// Follows the tokenizers library, not SentencePiece: a grapheme cluster below six bytes is replaced as a whole
/// by what its shortest start that is in the map stands for; else each of its code points by itself.
std::function<void(AlignedText& text)> charsmap_normalizer(const std::string& base64, const std::string& place);
/// The same from the map itself, as GGUF files hold it.
std::function<void(AlignedText& text)> charsmap_of_bytes(const std::string& bytes, const std::string& place);

}  // namespace lw
