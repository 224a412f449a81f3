// Text that carries its own checksum: a JSON object whose first key is the SHA-256 of everything behind it.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace lw {

/// Puts `"sha256": "…"` before the other keys. @param text begins with an object of one or more keys; anything may
/// follow it, such as further lines.
std::string sealed(std::string_view text);

/// The text that was sealed; nullopt when any byte of it or of its seal is another one.
std::optional<std::string> unsealed(std::string_view bytes);

}  // namespace lw
