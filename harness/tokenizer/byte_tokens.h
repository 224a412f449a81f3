// The tokens <0x00> to <0xFF>, which stand for bytes of characters that a vocabulary lacks.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/tokenizer/token_table.h"

namespace lw {

using ByteTokens = std::array<std::optional<uint32_t>, 256>;

ByteTokens find_byte_tokens(const TokenTable& table);
/// Whether each byte of the text has a token.
bool has_all(const ByteTokens& bytes, std::string_view text);
/// The byte that a token such as <0x0A> stands for, if any.
std::optional<unsigned char> byte_of_token(std::string_view token);

}  // namespace lw
