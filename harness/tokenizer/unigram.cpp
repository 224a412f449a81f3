#include "harness/tokenizer/unigram.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/printable.h"
#include "harness/tokenizer/byte_tokens.h"
#include "harness/tokenizer/byte_trie.h"
#include "harness/tokenizer/unicode.h"

namespace lw {
namespace {

constexpr uint32_t kNotReached = ~uint32_t{0};
constexpr double kUnknownPenalty = 10.0;

/// The best way to write the text up to one byte: its last token and its score.
struct Best {
  double score = 0.0;
  uint32_t id = 0;
  uint32_t begin = kNotReached;  // of the last token; kNotReached: none ends here
};

class Unigram : public TokenModel {
 public:
  Unigram(TokenTable table, const std::vector<double>& scores, const UnigramOptions& options, std::string place)
      : TokenModel(std::move(table)), scores_(scores), options_(options), place_(std::move(place)) {
    for (uint32_t id = 0; id < scores_.size(); ++id) {
      const std::string* text = table_.text(id);
      if (text != nullptr && table_.find(*text) == id && !(sp() && sp()->bytes.count(id) != 0)) pieces_.add(*text, id);
    }
    const double worst = sp()             ? double{sp()->worst}
                         : scores.empty() ? 0.0
                                          : *std::min_element(scores.begin(), scores.end());
    unknown_score_ = worst - kUnknownPenalty;
    if (sp()) unknown_score_ = double{static_cast<float>(unknown_score_)};
    if (options.byte_fallback) bytes_ = find_byte_tokens(table_);
  }

  std::optional<uint32_t> unknown() const override { return options_.unknown; }

  void encode(std::string_view text, bool parse_special, std::vector<PieceToken>& tokens) const override {
    const std::vector<Best> best = best_ways(text, parse_special);
    std::vector<PieceToken> reversed;
    for (auto end = static_cast<uint32_t>(text.size()); end > 0; end = best[end].begin) {
      const Best& last = best[end];
      const bool fuse = last.id == options_.unknown && !reversed.empty() && reversed.back().id == options_.unknown;
      if (fuse) {
        reversed.back().begin = last.begin;
      } else {
        reversed.push_back({last.id, last.begin, end});
      }
    }
    for (auto token = reversed.rbegin(); token != reversed.rend(); ++token) emit(text, parse_special, *token, tokens);
  }

 private:
  const std::optional<SentencePieceRules>& sp() const { return options_.sentencepiece; }

  /// The sentencepiece library keeps its sums in float32.
  double rounded(double sum) const { return sp() ? double{static_cast<float>(sum)} : sum; }

  /// Of a piece of `length` bytes.
  double score_of(uint32_t id, size_t length) const {
    if (!sp() || sp()->user_defined.count(id) == 0) return scores_[id];
    return 0.1 * (static_cast<double>(length) - 1);  // as in release 0.2.3; older ones add the best score of a piece
  }

  bool may_take(uint32_t id, bool parse_special) const { return parse_special || options_.special.count(id) == 0; }

  std::vector<Best> best_ways(std::string_view text, bool parse_special) const {
    std::vector<Best> best(text.size() + 1);
    const auto offer = [&](uint32_t begin, size_t end, double score, uint32_t id) {
      const double sum = rounded(score + best[begin].score);
      if (best[end].begin == kNotReached || sum > best[end].score) best[end] = {sum, id, begin};
    };
    for (size_t at = 0; at < text.size();) {
      const auto begin = static_cast<uint32_t>(at);
      next_code_point(text, at);
      bool covered = false;  // whether a piece is just this character
      pieces_.each(text, begin, [&](uint32_t piece, size_t end) {
        if (!may_take(piece, parse_special)) return;
        offer(begin, end, score_of(piece, end - begin), piece);
        covered = covered || end == at;
      });
      if (covered) continue;
      if (!options_.unknown)
        throw Error(ErrorKind::kInput, place_ + ": no token stands for '" + printable(text.substr(begin, at - begin)) +
                                           "' in the text, and the vocabulary has no unk_id");
      offer(begin, at, unknown_score_, *options_.unknown);
    }
    return best;
  }

  void emit(std::string_view text, bool parse_special, const PieceToken& token, std::vector<PieceToken>& tokens) const {
    const std::string_view part = text.substr(token.begin, token.end - token.begin);
    if (token.id != options_.unknown) {
      tokens.push_back(token);
    } else if (const auto whole = sp() ? std::nullopt : table_.find(part); whole && may_take(*whole, parse_special)) {
      tokens.push_back({*whole, token.begin, token.end});
    } else if (options_.byte_fallback && has_all(bytes_, part)) {
      for (uint32_t i = token.begin; i < token.end; ++i)
        tokens.push_back({*bytes_[static_cast<unsigned char>(text[i])], i, i + 1});
    } else {
      tokens.push_back(token);
    }
  }

  ByteTrie pieces_;
  std::vector<double> scores_;
  UnigramOptions options_;
  std::string place_;
  double unknown_score_ = 0.0;
  ByteTokens bytes_{};
};

}  // namespace

std::unique_ptr<TokenModel> make_unigram(TokenTable table, const std::vector<double>& scores,
                                         const UnigramOptions& options, const std::string& place) {
  LW_CHECK(static_cast<int64_t>(scores.size()) == table.size(), "one score a token");
  return std::make_unique<Unigram>(std::move(table), scores, options, place);
}

}  // namespace lw
