#include "harness/tokenizer/wordpiece.h"

#include <utility>

namespace lw {
namespace {

class WordPiece : public TokenModel {
 public:
  WordPiece(TokenTable table, WordPieceOptions options) : TokenModel(std::move(table)), options_(std::move(options)) {}

  std::optional<uint32_t> unknown() const override { return options_.unknown; }

  void encode(std::string_view word, bool /*parse_special*/, std::vector<PieceToken>& tokens) const override {
    const size_t before = tokens.size();
    size_t length = 0;
    for (const char c : word) length += is_lead(c) ? 1 : 0;
    bool known = length <= options_.longest_word;
    for (size_t begin = 0; known && begin < word.size();) {
      const auto token = longest(word, begin);
      known = token.has_value();
      if (!known) break;
      tokens.push_back(*token);
      begin = token->end;
    }
    if (known) return;
    tokens.resize(before);
    tokens.push_back({options_.unknown, 0, static_cast<uint32_t>(word.size())});
  }

 private:
  static bool is_lead(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

  std::optional<PieceToken> longest(std::string_view word, size_t begin) const {
    std::string candidate = begin == 0 ? "" : options_.continuing_prefix;
    const size_t prefix = candidate.size();
    candidate += word.substr(begin);
    while (candidate.size() > prefix) {
      if (const auto id = table_.find(candidate))
        return PieceToken{*id, static_cast<uint32_t>(begin), static_cast<uint32_t>(begin + candidate.size() - prefix)};
      while (!is_lead(candidate.back())) candidate.pop_back();
      candidate.pop_back();
    }
    return std::nullopt;
  }

  WordPieceOptions options_;
};

}  // namespace

std::unique_ptr<TokenModel> make_wordpiece(TokenTable table, const WordPieceOptions& options) {
  return std::make_unique<WordPiece>(std::move(table), options);
}

}  // namespace lw
