#include "harness/tokenizer/tokenizer.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/numbers.h"
#include "harness/base/text.h"
#include "harness/tokenizer/unicode.h"

namespace lw {

/// Keeps the tokens of the pieces of one text: most of a text is a few thousand words.
class Tokenizer::Words {
 public:
  Words(const TokenModel& model, bool parse_special) : model_(model), parse_special_(parse_special) {}

  const std::vector<PieceToken>& encode(const std::string& piece) {
    if (piece.size() > kLongest || words_.size() >= kMost) {
      once_.clear();
      model_.encode(piece, parse_special_, once_);
      return once_;
    }
    const auto [found, is_new] = words_.try_emplace(piece);
    if (is_new) model_.encode(piece, parse_special_, found->second);
    return found->second;
  }

 private:
  static constexpr size_t kLongest = 64;
  static constexpr size_t kMost = 1U << 17U;
  const TokenModel& model_;
  bool parse_special_;
  std::unordered_map<std::string, std::vector<PieceToken>> words_;
  std::vector<PieceToken> once_;
};

namespace {

void check_text(std::string_view text) {
  // Normalisation can make a text eleven times as long, and offsets in it have 32 bits.
  constexpr size_t kMost = size_t{256} << 20U;
  if (text.size() > kMost)
    throw Error(ErrorKind::kInput, "text: " + found(text.size(), " bytes").allowed("up to ", kMost, " at a time"));
  const size_t fault = find_invalid_utf8(text);
  if (fault != std::string_view::npos)
    throw Error(ErrorKind::kInput, lw::text("text: byte ", fault, " is not UTF-8; allowed: valid UTF-8"));
}

bool begins_with(const std::vector<int64_t>& ids, const std::vector<int64_t>& start) {
  return ids.size() >= start.size() && std::equal(start.begin(), start.end(), ids.begin());
}

bool ends_with(const std::vector<int64_t>& ids, const std::vector<int64_t>& end) {
  return ids.size() >= end.size() && std::equal(end.rbegin(), end.rend(), ids.rbegin());
}

}  // namespace

Tokenizer::Tokenizer(TokenizerParts parts) : parts_(std::move(parts)) {
  size_ = parts_.model->table().size();
  for (const AddedToken& token : parts_.added.all()) size_ = std::max(size_, int64_t{token.id} + 1);
}

void Tokenizer::encode_piece(const AlignedText& piece, Words& words, Encoding& out) const {
  if (piece.empty()) return;
  for (const PieceToken& token : words.encode(piece.text())) {
    out.ids.push_back(token.id);
    out.spans.push_back(piece.origin(token.begin, token.end));
  }
}

// Encodes the text between two added tokens.
void Tokenizer::encode_text(AlignedText text, bool parse_special, Words& words, Encoding& out) const {
  if (parts_.normalizer) parts_.normalizer(text);
  for (const AddedMatch& part : parts_.added.find(text.text(), true, parse_special)) {
    if (part.token != nullptr) {
      out.ids.push_back(part.token->id);
      out.spans.push_back(text.origin(part.begin, part.end));
      continue;
    }
    std::vector<AlignedText> pieces;
    pieces.push_back(text.slice(part.begin, part.end));
    if (parts_.pre_tokenizer) parts_.pre_tokenizer(pieces);
    for (const AlignedText& piece : pieces) encode_piece(piece, words, out);
  }
}

Encoding Tokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  check_text(text);
  Encoding out;
  Words words(*parts_.model, options.parse_special);
  for (const AddedMatch& part : parts_.added.find(text, false, options.parse_special)) {
    const auto begin = static_cast<uint32_t>(part.begin);
    if (part.token != nullptr) {
      out.ids.push_back(part.token->id);
      out.spans.push_back({begin, static_cast<uint32_t>(part.end)});
    } else {
      encode_text(AlignedText(std::string(text.substr(part.begin, part.end - part.begin)), begin),
                  options.parse_special, words, out);
    }
  }
  if (!options.add_special) return out;
  if (!begins_with(out.ids, parts_.prefix)) {
    out.ids.insert(out.ids.begin(), parts_.prefix.begin(), parts_.prefix.end());
    out.spans.insert(out.spans.begin(), parts_.prefix.size(), TextSpan{});
  }
  if (!ends_with(out.ids, parts_.suffix)) {
    const auto end = static_cast<uint32_t>(text.size());
    out.ids.insert(out.ids.end(), parts_.suffix.begin(), parts_.suffix.end());
    out.spans.insert(out.spans.end(), parts_.suffix.size(), TextSpan{end, end});
  }
  return out;
}

std::string Tokenizer::decode(const std::vector<int64_t>& ids, bool skip_special) const {
  std::vector<DecodedToken> tokens;
  for (const int64_t id : ids) {
    const AddedToken* added = parts_.added.by_id(id);
    if (added == nullptr) {
      tokens.push_back({id_to_token(id), false});
    } else if (!skip_special || !added->special) {
      tokens.push_back({added->content, true});
    }
  }
  parts_.decoder(tokens);
  std::string text;
  for (const DecodedToken& token : tokens) text += token.text;
  return text;
}

const std::string& Tokenizer::id_to_token(int64_t id) const {
  if (const AddedToken* added = parts_.added.by_id(id)) return added->content;
  if (const std::string* token = parts_.model->table().text(id)) return *token;
  throw Error(ErrorKind::kInput, "token id: " + found(id).allowed("ids of the vocabulary, below ", size_));
}

bool Tokenizer::has(int64_t id) const {
  return parts_.added.by_id(id) != nullptr || parts_.model->table().text(id) != nullptr;
}

std::optional<int64_t> Tokenizer::token_to_id(std::string_view token) const {
  for (const AddedToken& added : parts_.added.all())
    if (added.content == token) return added.id;
  return parts_.model->table().find(token);
}

std::optional<int64_t> Tokenizer::unknown() const { return parts_.model->unknown(); }

std::string hash_ids(const std::vector<int64_t>& ids) {
  std::string bytes;
  bytes.reserve(8 * ids.size());
  for (const int64_t id : ids)
    for (unsigned shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(static_cast<uint64_t>(id) >> shift);
  return sha256(bytes);
}

std::string token_line(const Tokenizer& tokenizer, const std::vector<int64_t>& ids) {
  const bool with_bos = tokenizer.bos() && !ids.empty() && ids.front() == *tokenizer.bos();
  std::string line = format_grouped(static_cast<int64_t>(ids.size())) + " tokens, ids " + hash_ids(ids).substr(0, 12) +
                     (with_bos ? ", BOS " + std::to_string(ids.front()) : ", no BOS");
  const auto unknown = tokenizer.unknown();
  const auto count = unknown ? std::count(ids.begin(), ids.end(), *unknown) : 0;
  if (count > 0) line += ", " + format_grouped(count) + " unknown";
  return line;
}

}  // namespace lw
