#include "harness/tokenizer/bpe.h"

#include <algorithm>
#include <functional>

#include "harness/base/error.h"
#include "harness/base/printable.h"
#include "harness/base/text.h"
#include "harness/tokenizer/byte_tokens.h"
#include "harness/tokenizer/unicode.h"

namespace lw {
namespace {

constexpr uint32_t kNoSymbol = ~uint32_t{0};

/// A symbol of the piece, in a doubly linked list. A symbol that was joined to its neighbour has length 0.
struct Symbol {
  uint32_t id;
  uint32_t begin;
  uint32_t length;
  uint32_t previous;
  uint32_t next;
};

/// A candidate: joins the symbol at `at` to its right neighbour. Lowest rank first, then leftmost.
struct Join {
  uint32_t rank;
  uint32_t at;
  uint32_t result;
  bool operator>(const Join& other) const { return rank != other.rank ? rank > other.rank : at > other.at; }
};

/// The joins of a vocabulary, and the pairs of initial neighbours that a join can ever cross. Between all other
/// neighbours, a long piece is cut into independent parts.
struct Joins {
  explicit Joins(size_t count) : all(count) {}
  PairTable all;
  PairTable bridges;

  /// @param id_of the id that a character has as a symbol, if it has one.
  template <class IdOf>
  void add(std::string_view left, uint32_t left_id, std::string_view right, uint32_t right_id, uint32_t rank,
           uint32_t result, IdOf id_of) {
    all.set(left_id, right_id, rank, result);
    // Initially, `left` and `right` may be symbols themselves (bytes, unknown) or sequences of characters.
    size_t last = left.size() - 1;
    while (last > 0 && (static_cast<unsigned char>(left[last]) & 0xC0U) == 0x80U) --last;
    size_t first_end = 0;
    next_code_point(right, first_end);
    const std::optional<uint32_t> lasts[] = {left_id, id_of(left.substr(last))};
    const std::optional<uint32_t> firsts[] = {right_id, id_of(right.substr(0, first_end))};
    for (const auto& l : lasts)
      for (const auto& f : firsts)
        if (l && f && bridges.find(*l, *f) == nullptr) bridges.set(*l, *f, 0, 0);
  }
};

class Bpe : public TokenModel {
 public:
  Bpe(TokenTable table, Joins joins, const BpeOptions& options, const std::string& place)
      : TokenModel(std::move(table)),
        joins_(std::move(joins.all)),
        bridges_(std::move(joins.bridges)),
        options_(options),
        place_(place) {
    if (options.byte_fallback) bytes_ = find_byte_tokens(table_);
  }

  std::optional<uint32_t> unknown() const override { return options_.unknown; }

  void encode(std::string_view piece, bool /*parse_special*/, std::vector<PieceToken>& tokens) const override {
    if (options_.ignore_merges) {
      if (const auto whole = table_.find(piece)) {
        tokens.push_back({*whole, 0, static_cast<uint32_t>(piece.size())});
        return;
      }
    }
    std::vector<Symbol> symbols = symbols_of(piece);
    std::vector<Join> due;
    for (size_t begin = 0; begin < symbols.size();) {
      size_t end = begin + 1;
      while (end < symbols.size() && bridges_.find(symbols[end - 1].id, symbols[end].id) != nullptr) ++end;
      join_all(symbols, begin, end, due);
      begin = end;
    }
    emit(piece, symbols, tokens);
  }

 protected:
  virtual std::vector<Symbol> symbols_of(std::string_view piece) const;
  virtual void emit(std::string_view /*piece*/, const std::vector<Symbol>& symbols,
                    std::vector<PieceToken>& tokens) const {
    for (const Symbol& symbol : symbols)
      if (symbol.length != 0) tokens.push_back({symbol.id, symbol.begin, symbol.begin + symbol.length});
  }
  /// Joins what can be joined among the symbols [begin, end). `due` is empty before and after.
  void join_all(std::vector<Symbol>& symbols, size_t begin, size_t end, std::vector<Join>& due) const;

  static void append(std::vector<Symbol>& symbols, uint32_t id, size_t begin, size_t length) {
    const auto at = static_cast<uint32_t>(symbols.size());
    if (at != 0) symbols.back().next = at;
    symbols.push_back(
        {id, static_cast<uint32_t>(begin), static_cast<uint32_t>(length), at == 0 ? kNoSymbol : at - 1, kNoSymbol});
  }
  [[noreturn]] void fail_unknown(std::string_view symbol) const {
    throw Error(ErrorKind::kInput, place_ + ": no token stands for '" + printable(symbol) +
                                       "' in the text, and the vocabulary has no unk_token");
  }

  PairTable joins_;    // pair of ids -> rank, id of the result
  PairTable bridges_;  // pairs of initial neighbours that a join can cross
  BpeOptions options_;
  std::string place_;
  ByteTokens bytes_{};
};

std::vector<Symbol> Bpe::symbols_of(std::string_view piece) const {
  std::vector<Symbol> symbols;
  symbols.reserve(piece.size());
  size_t unknown_begin = 0;
  size_t unknown_length = 0;  // of a pending unknown symbol, which the next may fuse with
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
      // As in the library, a pending unknown symbol comes after the bytes: it is not flushed here.
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

void Bpe::join_all(std::vector<Symbol>& symbols, size_t begin, size_t end, std::vector<Join>& due) const {
  symbols[begin].previous = kNoSymbol;
  symbols[end - 1].next = kNoSymbol;
  for (size_t at = begin; at + 1 < end; ++at)
    if (const auto* join = joins_.find(symbols[at].id, symbols[at + 1].id))
      due.push_back({join->first, static_cast<uint32_t>(at), join->second});
  std::make_heap(due.begin(), due.end(), std::greater<>{});
  const auto push = [&](const PairTable::Entry* join, uint32_t at) {
    if (join == nullptr) return;
    due.push_back({join->first, at, join->second});
    std::push_heap(due.begin(), due.end(), std::greater<>{});
  };
  while (!due.empty()) {
    std::pop_heap(due.begin(), due.end(), std::greater<>{});
    const Join join = due.back();
    due.pop_back();
    Symbol& left = symbols[join.at];
    if (left.length == 0 || left.next == kNoSymbol) continue;
    Symbol& right = symbols[left.next];
    const auto* now = joins_.find(left.id, right.id);
    if (now == nullptr || now->second != join.result) continue;  // the neighbours have changed since
    left.id = join.result;
    left.length += right.length;
    right.length = 0;
    left.next = right.next;
    if (left.next != kNoSymbol) {
      symbols[left.next].previous = join.at;
      push(joins_.find(left.id, symbols[left.next].id), join.at);
    }
    if (left.previous != kNoSymbol) push(joins_.find(symbols[left.previous].id, left.id), left.previous);
  }
}

/// Symbols that are not tokens take part in joins too: `letters_` gives them ids above those of the tokens.
class ScoredBpe : public Bpe {
 public:
  ScoredBpe(TokenTable table, TokenTable letters, Joins joins, const BpeOptions& options, const std::string& place)
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
      append(symbols, id.value_or(kNoSymbol - 1), begin, symbol.size());
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

/// Adds each way to split a piece into two symbols, as a join with the rank of the piece's score.
template <class IdOf>
void add_splits(std::string_view text, uint32_t id, uint32_t rank, IdOf id_of, Joins& joins) {
  for (size_t at = 0; at < text.size();) {
    next_code_point(text, at);
    if (at == text.size()) break;
    const auto left = id_of(text.substr(0, at));
    const auto right = left ? id_of(text.substr(at)) : std::nullopt;
    if (right) joins.add(text.substr(0, at), *left, text.substr(at), *right, rank, id, id_of);
  }
}

}  // namespace

std::unique_ptr<TokenModel> make_bpe(TokenTable table, const Merges& merges, const BpeOptions& options,
                                     const std::string& place) {
  Joins joins(merges.size());
  const auto symbol = [&](std::string_view text) { return table.find(text); };
  for (size_t rank = 0; rank < merges.size(); ++rank) {
    const std::string& left = merges[rank].first;
    const std::string& right = merges[rank].second;
    const auto id_of = [&](const std::string& part) {
      const auto id = table.find(part);
      if (id && !part.empty()) return *id;
      throw Error(ErrorKind::kInput,
                  text(place, ": merges[", rank, "]: ",
                       found(printable(left), " and '", printable(right), "', but '", printable(part), "' is no token")
                           .allowed("tokens that join to one")));
    };
    const uint32_t left_id = id_of(left);
    const uint32_t right_id = id_of(right);
    joins.add(left, left_id, right, right_id, static_cast<uint32_t>(rank), id_of(left + right), symbol);
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
  Joins joins(ids.size());
  const auto symbol = [&](std::string_view text) {
    const auto token = table.find(text);
    return token ? token : letters.find(text);
  };
  uint32_t rank = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i > 0 && scores[ids[i]] < scores[ids[i - 1]])
      ++rank;  // equal scores share a rank; then the leftmost join is first
    add_splits(*table.text(ids[i]), ids[i], rank, symbol, joins);
  }
  return std::make_unique<ScoredBpe>(std::move(table), std::move(letters), std::move(joins), options, place);
}

}  // namespace lw
