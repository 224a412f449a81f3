#include "harness/experiment/token_codec.h"

#include <algorithm>

#include "harness/base/error.h"
#include "harness/base/printable.h"
#include "harness/base/text.h"

namespace lw {

TokenCodec::TokenCodec(Tokenizer tokenizer, int64_t rows, const std::string& place, AddBos add_bos)
    : tokenizer_(std::move(tokenizer)), rows_(rows), notes_(tokenizer_.notes()) {
  check_rows(place);
  bos_ = bos_rule(tokenizer_, add_bos, place);
  for (const char* text : {".", ",", "\n", "a"}) {
    try {
      anchors_.push_back({text, tokenizer_.encode(text).ids});
    } catch (const Error&) {
      continue;  // a vocabulary without this character
    }
  }
  if (anchors_.empty()) anchors_.push_back({"", {}});  // nothing can be put before a piece
}

std::string TokenCodec::shown(Token id) const {
  return text(tokenizer_.has(id) ? "'" + printable(tokenizer_.id_to_token(id)) + "' " : "", "(id ", id, ")");
}

void TokenCodec::check_rows(const std::string& place) {
  const auto refuse = [&](Token id, const std::string& what) {
    throw Error(
        ErrorKind::kInput,
        place + ": tokenizer: " +
            found_what(shown(id), what).allowed("ids below ", rows_, ", one for each row of the model's embedding"));
  };
  std::vector<std::string> added;
  for (Token id = rows_; id < tokenizer_.size(); ++id) {
    if (!tokenizer_.has(id)) continue;
    if (tokenizer_.added().by_id(id) == nullptr) refuse(id, text(" among ", tokenizer_.size(), " tokens"));
    added.push_back(shown(id));
  }
  for (const auto& around : {tokenizer_.prefix(), tokenizer_.suffix()})
    for (const Token id : around)
      if (id < 0 || id >= rows_) refuse(id, ", which it puts around every text");
  if (added.empty()) return;
  const size_t more = added.size() - std::min<size_t>(added.size(), 3);
  added.resize(added.size() - more);
  notes_.push_back(text("the model's embedding has no row, of ", rows_, ", for the added tokens ", join(added),
                        more > 0 ? text(" and ", more, " more") : "", ": text that holds one is refused"));
}

std::vector<Token> TokenCodec::encode(std::string_view piece) const {
  if (piece.empty()) return {};
  for (const auto& anchor : anchors_) {
    auto ids = tokenizer_.encode(anchor.text + std::string(piece)).ids;
    if (!std::equal(anchor.ids.begin(), anchor.ids.end(), ids.begin(),
                    ids.begin() + std::min(ids.size(), anchor.ids.size())))
      continue;  // it merged with the piece
    ids.erase(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(anchor.ids.size()));
    for (const Token id : ids)
      if (id >= rows_)
        throw Error(ErrorKind::kInput, "text: " + found_what(shown(id)).allowed("tokens with ids below ", rows_,
                                                                                ", the rows of the model's embedding"));
    return ids;
  }
  throw Error(ErrorKind::kInput, "text: '" + std::string(piece.substr(0, 40)) +
                                     "' cannot be separated from the text before it by this tokenizer");
}

std::string TokenCodec::decode(const std::vector<Token>& tokens) const {
  // Behind an anchor as well: the first token of a text loses its space.
  const auto& anchor = anchors_.front();
  std::vector<Token> all = anchor.ids;
  all.insert(all.end(), tokens.begin(), tokens.end());
  const std::string before = tokenizer_.decode(anchor.ids), whole = tokenizer_.decode(all);
  return whole.rfind(before, 0) == 0 ? whole.substr(before.size()) : whole;
}

TokenCodec::WholeText TokenCodec::encode_whole(std::string_view text) const {
  Encoding encoded = tokenizer_.encode(text, {.add_special = true});
  const auto& own = tokenizer_.prefix();
  const bool has_own = !own.empty() && !encoded.ids.empty() && encoded.ids.front() == own.front();
  if (has_own && !bos_.id) {
    encoded.ids.erase(encoded.ids.begin());
    encoded.spans.erase(encoded.spans.begin());
  } else if (bos_.id && (encoded.ids.empty() || encoded.ids.front() != *bos_.id)) {
    encoded.ids.insert(encoded.ids.begin(), *bos_.id);
    encoded.spans.insert(encoded.spans.begin(), TextSpan{});
  }
  WholeText out{std::move(encoded.ids), {}};
  int64_t covered = 0;  // tokens that share a character's bytes: the first has them
  for (const auto& span : encoded.spans) {
    out.bytes.push_back(std::max<int64_t>(0, int64_t(span.end) - covered));
    covered = std::max(covered, int64_t(span.end));
  }
  return out;
}

std::optional<Token> TokenCodec::mask() const {
  for (const char* word : {"[MASK]", "<mask>"})
    if (const auto id = tokenizer_.token_to_id(word); id && *id < rows_) return id;
  return std::nullopt;
}

std::vector<Token> TokenCodec::sentinels() const {
  std::vector<Token> out;
  for (;;) {
    const auto id = tokenizer_.token_to_id(text("<extra_id_", out.size(), ">"));
    if (!id || *id >= rows_) return out;
    out.push_back(*id);
  }
}

}  // namespace lw
