// Tokenizers from the vocabulary of a GGUF file.
#pragma once
#include <optional>
#include <string>

#include "harness/formats/gguf_vocabulary.h"
#include "harness/tokenizer/tokenizer.h"

namespace lw {

/// @param place the file, for errors. @param pre what the user says instead of `pre`: old files carry none or
/// "default".
/// @throws Error(kInput, kUnsupported) naming the key.
///
/// Control tokens are sought only where specials are asked for, user-defined ones always; of two that overlap, the
/// leftmost and longest counts (llama.cpp: the longest of the whole text).
Tokenizer tokenizer_from_gguf(const GgufVocabulary& vocabulary, const std::string& place,
                              const std::optional<std::string>& pre = std::nullopt);

}  // namespace lw
