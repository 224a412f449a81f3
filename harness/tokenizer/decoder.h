// The decoders of a tokenizer.json: from tokens back to text.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "harness/base/json.h"

namespace lw {

/// A token that is being decoded. An added token is plain text, never letters of the byte alphabet.
struct DecodedToken {
  std::string text;
  bool added = false;
};

/// Changes the tokens of one text in place; their strings are then joined.
using Decoder = std::function<void(std::vector<DecodedToken>& tokens)>;

Decoder decode_byte_letters();
/// Turns `mark` into spaces and byte tokens into bytes, and removes the space that encoding put in front
/// (`leading_space`).
Decoder decode_sentencepiece(const std::string& mark, bool leading_space);

/// @param json null: tokens are joined with spaces, as the library does. @throws Error naming what is not
///   understood.
Decoder read_decoder(const Json& json, const std::string& place, const std::string& path);

}  // namespace lw
