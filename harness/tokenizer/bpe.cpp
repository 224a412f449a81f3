#include "harness/tokenizer/bpe.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "harness/base/error.h"
#include "harness/tokenizer/byte_tokens.h"
#include "harness/tokenizer/unicode.h"

namespace lw {
namespace {

constexpr uint32_t kNone = ~uint32_t{0};

/// A symbol of the piece, in a list that is linked in both directions. One that was joined has no length.
struct Symbol {
  uint32_t id;
  uint32_t begin;
  uint32_t length;
  uint32_t previous;
  uint32_t next;
};

/// A join that may be due: of the symbol at `at` and its neighbour. Lowest rank first, then leftmost.
struct Join {
  uint32_t rank;
  uint32_t at;
  uint32_t result;
  bool operator>(const Join& other) const { return rank != other.rank ? rank > other.rank : at > other.at; }
};

class Bpe : public TokenModel {
 public:
  Bpe(TokenTable table, PairTable joins, const BpeOptions& options, const std::string& place)
      : TokenModel(std::move(table)), joins_(std::move(joins)), options_(options), place_(place) {
    if (options.byte_fallback) bytes_ = find_byte_tokens(table_);
  }

  std::optional<uint32_t> unknown() const override { return options_.unknown; }

  void encode(std::string_view piece, std::vector<PieceToken>& tokens) const override {
    if (options_.ignore_merges) {
      if (const auto whole = table_.find(piece)) {
        tokens.push_back({*whole, 0, static_cast<uint32_t>(piece.size())});
        return;
      }
    }
    std::vector<Symbol> symbols = symbols_of(piece);
    join_all(symbols);
    emit(piece, symbols, tokens);
  }

 protected:
  virtual std::vector<Symbol> symbols_of(std::string_view piece) const;
  virtual void emit(std::string_view /*piece*/, const std::vector<Symbol>& symbols,
                    std::vector<PieceToken>& tokens) const {
    for (const Symbol& symbol : symbols)
      if (symbol.length != 0) tokens.push_back({symbol.id, symbol.begin, symbol.begin + symbol.length});
  }
  void join_all(std::vector<Symbol>& symbols) const;

  static void append(std::vector<Symbol>& symbols, uint32_t id, size_t begin, size_t length) {
    const auto at = static_cast<uint32_t>(symbols.size());
    if (at != 0) symbols.back().next = at;
    symbols.push_back(
        {id, static_cast<uint32_t>(begin), static_cast<uint32_t>(length), at == 0 ? kNone : at - 1, kNone});
  }
  [[noreturn]] void fail_unknown(std::string_view symbol) const {
    throw Error(ErrorKind::kInput, place_ + ": no token stands for '" + std::string(symbol) +
                                       "' in the text, and the vocabulary has no unk_token");
  }

  PairTable joins_;  // pair of ids -> rank, id of the result
  BpeOptions options_;
  std::string place_;
  ByteTokens bytes_{};
};

std::vector<Symbol> Bpe::symbols_of(std::string_view piece) const {
  std::vector<Symbol> symbols;
  symbols.reserve(piece.size());
  size_t unknown_begin = 0;
  size_t unknown_length = 0;  // of the unknown symbol that waits for those that may fuse with it
  const auto flush = [&] {
    if (unknown_length != 0) append(symbols, *options_.unknown, unknown_begin, unknown_length);
    unknown_length = 0;
  };
  for (size_t at = 0; at < piece.size();) {
    const size_t begin = at;
    next_code_point(piece, at);
    const std::string_view symbol = piece.substr(begin, at - begin);
    if (const auto id = table_.find(symbol)) {
      flush();
      append(symbols, *id, begin, symbol.size());
    } else if (options_.byte_fallback && has_all(bytes_, symbol)) {
      // The library does not flush here: a waiting unknown symbol comes after the bytes.
      for (size_t i = 0; i < symbol.size(); ++i)
        append(symbols, *bytes_[static_cast<unsigned char>(symbol[i])], begin + i, 1);
    } else if (!options_.unknown) {
      fail_unknown(symbol);
    } else {
      if (!options_.fuse_unknown) flush();
      if (unknown_length == 0) unknown_begin = begin;
      unknown_length += symbol.size();
    }
  }
  flush();
  return symbols;
}

void Bpe::join_all(std::vector<Symbol>& symbols) const {
  std::vector<Join> due;
  due.reserve(symbols.size());
  for (uint32_t at = 0; at + 1 < symbols.size(); ++at)
    if (const auto* join = joins_.find(symbols[at].id, symbols[at + 1].id))
      due.push_back({join->first, at, join->second});
  std::priority_queue<Join, std::vector<Join>, std::greater<>> queue(std::greater<>{}, std::move(due));
  while (!queue.empty()) {
    const Join join = queue.top();
    queue.pop();
    Symbol& left = symbols[join.at];
    if (left.length == 0 || left.next == kNone) continue;
    Symbol& right = symbols[left.next];
    const auto* now = joins_.find(left.id, right.id);
    if (now == nullptr || now->second != join.result) continue;  // the neighbours have changed since
    left.id = join.result;
    left.length += right.length;
    right.length = 0;
    left.next = right.next;
    if (left.next != kNone) {
      symbols[left.next].previous = join.at;
      if (const auto* next = joins_.find(left.id, symbols[left.next].id))
        queue.push({next->first, join.at, next->second});
    }
    if (left.previous != kNone)
      if (const auto* previous = joins_.find(symbols[left.previous].id, left.id))
        queue.push({previous->first, left.previous, previous->second});
  }
}

/// Symbols that are no tokens take part in the joins: `letters_` gives them ids above those of the tokens.
class ScoredBpe : public Bpe {
 public:
  ScoredBpe(TokenTable table, TokenTable letters, PairTable joins, const BpeOptions& options, const std::string& place)
      : Bpe(std::move(table), std::move(joins), options, place), letters_(std::move(letters)) {}

 protected:
  std::vector<Symbol> symbols_of(std::string_view piece) const override {
    std::vector<Symbol> symbols;
    symbols.reserve(piece.size());
    for (size_t at = 0; at < piece.size();) {
      const size_t begin = at;
      next_code_point(piece, at);
      const std::string_view symbol = piece.substr(begin, at - begin);
      auto id = table_.find(symbol);
      if (!id) id = letters_.find(symbol);
      append(symbols, id.value_or(kNone - 1), begin, symbol.size());
    }
    return symbols;
  }

  void emit(std::string_view piece, const std::vector<Symbol>& symbols,
            std::vector<PieceToken>& tokens) const override {
    bool fusing = false;
    for (const Symbol& symbol : symbols) {
      if (symbol.length == 0) continue;
      const uint32_t end = symbol.begin + symbol.length;
      const std::string_view text = piece.substr(symbol.begin, symbol.length);
      const bool unknown = symbol.id >= static_cast<uint32_t>(table_.size());
      if (!unknown) {
        tokens.push_back({symbol.id, symbol.begin, end});
      } else if (options_.byte_fallback && has_all(bytes_, text)) {
        for (uint32_t i = symbol.begin; i < end; ++i)
          tokens.push_back({*bytes_[static_cast<unsigned char>(piece[i])], i, i + 1});
      } else if (!options_.unknown) {
        fail_unknown(text);
      } else if (fusing) {
        tokens.back().end = end;
      } else {
        tokens.push_back({*options_.unknown, symbol.begin, end});
      }
      fusing = unknown && !tokens.empty() && tokens.back().id == options_.unknown;
    }
  }

 private:
  TokenTable letters_;
};

/// The ways to write a piece as two symbols, entered as joins of the rank of its score.
void add_splits(const std::string& text, uint32_t id, uint32_t rank, const TokenTable& table, const TokenTable& letters,
                PairTable& joins) {
  const auto symbol = [&](std::string_view part) {
    const auto token = table.find(part);
    return token ? token : letters.find(part);
  };
  for (size_t at = 0; at < text.size();) {
    next_code_point(text, at);
    if (at == text.size()) break;
    const auto left = symbol(std::string_view(text).substr(0, at));
    const auto right = left ? symbol(std::string_view(text).substr(at)) : std::nullopt;
    if (right) joins.set(*left, *right, rank, id);
  }
}

}  // namespace

std::unique_ptr<TokenModel> make_bpe(TokenTable table, const Merges& merges, const BpeOptions& options,
                                     const std::string& place) {
  PairTable joins(merges.size());
  for (size_t rank = 0; rank < merges.size(); ++rank) {
    const auto& [left, right] = merges[rank];
    const auto id = [&](const std::string& text) {
      if (const auto found = table.find(text)) return *found;
      throw Error(ErrorKind::kInput, place + ": merges[" + std::to_string(rank) + "]: found '" + left + "' and '" +
                                         right + "', but '" + text + "' is no token; allowed: tokens that join to one");
    };
    joins.set(id(left), id(right), static_cast<uint32_t>(rank), id(left + right));
  }
  return std::make_unique<Bpe>(std::move(table), std::move(joins), options, place);
}

std::unique_ptr<TokenModel> make_scored_bpe(TokenTable table, const std::vector<float>& scores,
                                            const BpeOptions& options, const std::string& place) {
  LW_CHECK(static_cast<int64_t>(scores.size()) == table.size(), "one score a token");
  TokenTable letters;
  auto next_letter = static_cast<uint32_t>(table.size());
  std::vector<uint32_t> ids;
  for (uint32_t id = 0; id < scores.size(); ++id) {
    const std::string* text = table.text(id);
    if (text == nullptr || table.find(*text) != id || byte_of_token(*text)) continue;
    ids.push_back(id);
    for (size_t at = 0; at < text->size();) {
      const size_t begin = at;
      next_code_point(*text, at);
      const std::string_view letter = std::string_view(*text).substr(begin, at - begin);
      if (!table.find(letter) && !letters.find(letter)) letters.add(letter, next_letter++);
    }
  }
  std::stable_sort(ids.begin(), ids.end(), [&](uint32_t a, uint32_t b) { return scores[a] > scores[b]; });
  PairTable joins(ids.size());
  uint32_t rank = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i > 0 && scores[ids[i]] < scores[ids[i - 1]]) ++rank;  // equal scores share a rank: then the left one is first
    add_splits(*table.text(ids[i]), ids[i], rank, table, letters, joins);
  }
  return std::make_unique<ScoredBpe>(std::move(table), std::move(letters), std::move(joins), options, place);
}

}  // namespace lw
