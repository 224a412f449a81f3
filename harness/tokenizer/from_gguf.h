// Tokenizers from the vocabulary of a GGUF file.
#pragma once
#include <optional>
#include <string>

#include "harness/formats/gguf_vocabulary.h"
#include "harness/tokenizer/tokenizer.h"

namespace lw {

/// @param place the file, for errors. @param pre replaces the file's own `pre`, which old files lack or set to
/// "default".
/// @throws Error(kInput) naming the key.
///
/// Control tokens are matched only with parse_special, user-defined ones always. Of two that overlap, the leftmost and
/// longest wins (in llama.cpp: the longest of the whole text).
Tokenizer tokenizer_from_gguf(const GgufVocabulary& vocabulary, const std::string& place,
                              const std::optional<std::string>& pre = std::nullopt);

}  // namespace lw
