// Finds words that are one token of a tokenizer.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/vocabulary.h"

namespace lw {

/// The single token of `piece`; nullopt where there are several. It decodes to the same text, except for spaces before
/// it, so it is never the token for unknown words.
[[nodiscard]] std::optional<Token> single_token(const TextCodec& text, const std::string& piece);

/// The text of one token; nullopt when the tokenizer has no such id.
[[nodiscard]] std::optional<std::string> token_text(const TextCodec& text, Token token);

/// `piece` without the spaces before it.
[[nodiscard]] std::string_view without_leading_spaces(std::string_view piece);

}  // namespace lw
