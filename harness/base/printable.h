// Bytes from elsewhere as text that is safe in a one-line message, a terminal or a table.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace lw {

/// UTF-8 stays as it is; control characters and bytes that are no UTF-8 become \xNN, and characters that change the
/// direction or the line of what follows become \uNNNN. What is longer than `limit` bytes is cut, and the end says how
/// much was left out.
std::string printable(std::string_view bytes, size_t limit = 80);
/// The same of any length: text as it is where nothing has to be written otherwise.
std::string visible(std::string_view bytes);
/// Where the first byte stands that visible() writes otherwise, line feeds and tabs apart; npos where there is none.
size_t find_invisible(std::string_view bytes);

/// Bytes of the UTF-8 character (RFC 3629: no surrogates, no overlong forms) that `bytes` begins with; 0 if none.
size_t utf8_length(std::string_view bytes);
/// Where the first byte stands that is not UTF-8; npos where all of it is.
size_t find_not_utf8(std::string_view bytes);

}  // namespace lw
