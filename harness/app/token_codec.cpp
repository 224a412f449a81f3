#include "harness/app/token_codec.h"

#include <algorithm>

#include "harness/base/error.h"

namespace lw {

TokenCodec::TokenCodec(Tokenizer tokenizer) : tokenizer_(std::move(tokenizer)) {
  for (const char* text : {".", ",", "\n", "a"}) {
    try {
      anchors_.push_back({text, tokenizer_.encode(text).ids});
    } catch (const Error&) {
      continue;  // a vocabulary without this character
    }
  }
  if (anchors_.empty()) anchors_.push_back({"", {}});  // nothing can be put before a piece
}

std::vector<Token> TokenCodec::encode(std::string_view piece) const {
  if (piece.empty()) return {};
  for (const auto& anchor : anchors_) {
    auto ids = tokenizer_.encode(anchor.text + std::string(piece)).ids;
    if (!std::equal(anchor.ids.begin(), anchor.ids.end(), ids.begin(),
                    ids.begin() + std::min(ids.size(), anchor.ids.size())))
      continue;  // it grew together with the piece
    ids.erase(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(anchor.ids.size()));
    return ids;
  }
  throw Error(ErrorKind::kUnsupported, "text: '" + std::string(piece.substr(0, 40)) +
                                           "' cannot be set apart from what stands before it in this tokenizer");
}

std::string TokenCodec::decode(const std::vector<Token>& tokens) const {
  // Behind an anchor as well: the first token of a text loses its space.
  const auto& anchor = anchors_.front();
  std::vector<Token> all = anchor.ids;
  all.insert(all.end(), tokens.begin(), tokens.end());
  const std::string before = tokenizer_.decode(anchor.ids), whole = tokenizer_.decode(all);
  return whole.rfind(before, 0) == 0 ? whole.substr(before.size()) : whole;
}

std::optional<Token> TokenCodec::begin() const {
  if (tokenizer_.prefix().empty()) return std::nullopt;
  return tokenizer_.prefix().front();
}

std::optional<Token> TokenCodec::mask() const {
  for (const char* word : {"[MASK]", "<mask>"})
    if (const auto id = tokenizer_.token_to_id(word)) return id;
  return std::nullopt;
}

std::vector<Token> TokenCodec::sentinels() const {
  std::vector<Token> out;
  while (const auto id = tokenizer_.token_to_id("<extra_id_" + std::to_string(out.size()) + ">")) out.push_back(*id);
  return out;
}

}  // namespace lw
