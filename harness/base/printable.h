// Bytes from a file as text that is safe in a one-line message.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace lw {

/// UTF-8 stays as it is; control characters and bytes that are no UTF-8 become \xNN. What is longer than
/// `limit` bytes is cut, and the end says how much was left out.
std::string printable(std::string_view bytes, size_t limit = 80);

/// Bytes of the UTF-8 character (RFC 3629: no surrogates, no overlong forms) that `bytes` begins with; 0 if none.
size_t utf8_length(std::string_view bytes);

}  // namespace lw
