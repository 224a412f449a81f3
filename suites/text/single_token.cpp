#include "suites/text/single_token.h"

#include <algorithm>

#include "harness/base/error.h"

namespace lw {

std::string_view without_leading_spaces(std::string_view piece) {
  piece.remove_prefix(std::min(piece.find_first_not_of(' '), piece.size()));
  return piece;
}

std::optional<std::string> token_text(const TextCodec& text, Token token) {
  try {
    return text.decode({token});
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::kInput) throw;
    return std::nullopt;
  }
}

std::optional<Token> single_token(const TextCodec& text, const std::string& piece) {
  std::vector<Token> tokens;
  try {
    tokens = text.encode(piece);
  } catch (const Error& e) {  // no token stands for it, or it cannot be set apart from what is before it
    if (e.kind() != ErrorKind::kInput && e.kind() != ErrorKind::kUnsupported) throw;
  }
  if (tokens.size() != 1) return std::nullopt;
  const auto back = token_text(text, tokens.front());
  if (!back || without_leading_spaces(*back) != without_leading_spaces(piece)) return std::nullopt;
  return tokens.front();
}

}  // namespace lw
