// A small tokenizer for the tests of suites that ask in text: longest match in a list of pieces, else bytes. Words
// of the list stand with their leading space; what is not in it is several tokens.
#pragma once
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/vocabulary.h"

namespace lw::suites_test {

/// Ids: 0 "<s>", 1 "<mask>", 2 is missing (as in real vocabularies), 3 to 258 the bytes, then the pieces.
class FakeCodec final : public TextCodec {
 public:
  static constexpr Token kBegin = 0, kMask = 1, kHole = 2, kBytes = 3, kPieces = 259;

  explicit FakeCodec(std::vector<std::string> pieces, bool begin = true, bool mask = true)
      : pieces_(std::move(pieces)), begin_(begin), mask_(mask) {
    for (size_t i = 0; i < pieces_.size(); ++i) {
      ids_.emplace(pieces_[i], kPieces + Token(i));
      longest_ = std::max(longest_, pieces_[i].size());
    }
  }

  std::vector<Token> encode(std::string_view piece) const override {
    std::vector<Token> out;
    for (size_t at = 0; at < piece.size();) {
      const size_t length = match(piece.substr(at));
      out.push_back(length > 0 ? ids_.at(std::string(piece.substr(at, length)))
                               : kBytes + Token(static_cast<unsigned char>(piece[at])));
      at += std::max<size_t>(length, 1);
    }
    return out;
  }

  std::string decode(const std::vector<Token>& tokens) const override {
    std::string out;
    for (const Token t : tokens) {
      if (t == kHole || t < 0 || t >= size())
        throw Error(ErrorKind::kInput, "ids: found " + std::to_string(t) + "; allowed: ids of the vocabulary");
      if (t < kHole)
        out += t == kBegin ? "<s>" : "<mask>";
      else if (t < kPieces)
        out += static_cast<char>(t - kBytes);
      else
        out += pieces_[size_t(t - kPieces)];
      ++decoded;
    }
    return out;
  }

  Token size() const override { return kPieces + Token(pieces_.size()); }
  std::optional<Token> begin() const override { return begin_ ? std::optional<Token>(kBegin) : std::nullopt; }
  std::optional<Token> mask() const override { return mask_ ? std::optional<Token>(kMask) : std::nullopt; }
  Token id(const std::string& piece) const { return ids_.at(piece); }

  mutable int64_t decoded = 0;  // tokens so far

 private:
  /// Bytes of the longest piece that `text` begins with; 0 for none.
  size_t match(std::string_view text) const {
    for (size_t length = std::min(longest_, text.size()); length > 0; --length)
      if (ids_.count(std::string(text.substr(0, length))) == 1) return length;
    return 0;
  }

  std::vector<std::string> pieces_;
  std::map<std::string, Token> ids_;
  size_t longest_ = 0;
  bool begin_, mask_;
};

}  // namespace lw::suites_test
