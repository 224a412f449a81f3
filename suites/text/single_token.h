// Words that are one token.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/vocabulary.h"

namespace lw {

/// The token that `piece` is, alone and entirely: it is decoded to the same text but for spaces before it, so
/// never the token for unknown words. nullopt otherwise.
std::optional<Token> single_token(const TextCodec& text, const std::string& piece);

/// decode() of one token; nullopt when the tokenizer has no such id.
std::optional<std::string> token_text(const TextCodec& text, Token token);

/// `piece` without the spaces before it.
std::string_view without_leading_spaces(std::string_view piece);

}  // namespace lw
