#include "harness/tokenizer/added_tokens.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "harness/tokenizer/unicode.h"

namespace lw {
namespace {

size_t code_point_before(std::string_view text, size_t at) {
  do --at;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U);
  return at;
}

bool ends_with(std::string_view text, bool (*in_class)(char32_t)) {
  if (text.empty()) return false;
  size_t at = code_point_before(text, text.size());
  return in_class(next_code_point(text, at));
}

bool starts_with(std::string_view text, bool (*in_class)(char32_t)) {
  size_t at = 0;
  return !text.empty() && in_class(next_code_point(text, at));
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens, const Normalizer& normalizer) : tokens_(std::move(tokens)) {
  for (uint32_t i = 0; i < tokens_.size(); ++i) {
    const AddedToken& token = tokens_[i];
    by_id_.emplace(token.id, i);
    AlignedText content(token.content, 0);
    if (token.normalized && normalizer) normalizer(content);
    (token.normalized ? normalised_ : raw_).add(content.text(), i);
  }
}

std::vector<AddedMatch> AddedTokens::find(std::string_view text, bool normalized, bool parse_special) const {
  const ByteTrie& trie = normalized ? normalised_ : raw_;
  std::vector<AddedMatch> parts;
  size_t done = 0;
  size_t end = 0;
  for (size_t at = 0; !trie.is_empty() && at < text.size();) {
    const auto found = trie.longest(text, at, end);
    if (!found || end == at) {
      ++at;
      continue;
    }
    const AddedToken& token = tokens_[*found];
    size_t begin = at;
    at = end;  // bytes skipped below are not searched again
    if (token.special && !parse_special) continue;
    if (token.single_word && (ends_with(text.substr(0, begin), is_word) || starts_with(text.substr(end), is_word)))
      continue;
    while (token.lstrip && begin > done && ends_with(text.substr(0, begin), is_white_space))
      begin = code_point_before(text, begin);
    while (token.rstrip && starts_with(text.substr(end), is_white_space)) next_code_point(text, end);
    if (done < begin) parts.push_back({done, begin, nullptr});
    parts.push_back({begin, end, &token});
    done = end;
  }
  if (done < text.size()) parts.push_back({done, text.size(), nullptr});
  return parts;
}

const AddedToken* AddedTokens::by_id(int64_t id) const {
  if (id < 0 || id > int64_t{std::numeric_limits<uint32_t>::max()}) return nullptr;
  const auto found = by_id_.find(static_cast<uint32_t>(id));
  return found == by_id_.end() ? nullptr : &tokens_[found->second];
}

}  // namespace lw
