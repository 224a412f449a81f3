// What the bytes of a YAML file must be, where the parser would take them for something else.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/error.h"

namespace lw {

/// The parser reads other encodings, zero bytes and damaged UTF-8 as if they were text.
/// @param name of the file, for messages. @throws ConfigErrors at the first byte that is no text.
void require_text(std::string_view bytes, const std::string& name);

/// The parser takes the end of the text for the quote that is missing.
/// @param at where the last text stands, with its anchor and tag. @throws ConfigErrors when its quote is not closed.
void require_closed(std::string_view bytes, size_t at, const std::string& name);

/// The first tab in the indentation of a line, up to line `last`: the parser's words seldom name it.
std::optional<SourcePos> indenting_tab(const std::string& text, int last, const std::string& name);

}  // namespace lw
