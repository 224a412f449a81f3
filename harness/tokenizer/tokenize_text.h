// What the command `tokenize` prints.
#pragma once
#include <string>
#include <string_view>

#include "harness/tokenizer/tokenizer.h"

namespace lw {

/// With `ids_only`, the ids on one line, separated by spaces. Otherwise one line per token (its bytes, id and
/// spelling), then the line of counts and the notes.
std::string tokenize_text(const Tokenizer& tokenizer, std::string_view text, const EncodeOptions& options,
                          bool ids_only);

}  // namespace lw
