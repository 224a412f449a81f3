// Order swap: which of two markers in random filler came first? Probes come in pairs that hold the same tokens with the
// markers exchanged, so that a model without positions gives both the same answer.
// Layout: [begin] body... ask answer. Training takes seconds (two answer tokens).
#include <algorithm>

#include "harness/base/config.h"
#include "suites/sequence.h"

namespace lw {
namespace {

constexpr int64_t kMarkerA = 0, kMarkerB = 1, kAFirst = 2, kBFirst = 3, kFiller = 4;

class OrderSwap final : public SymbolSuite {
 public:
  OrderSwap(int64_t filler, std::optional<int64_t> gap)
      : SymbolSuite({.min_length = 4 + gap.value_or(1),  // begin, markers, ask, answer
                     .symbols = kFiller + filler,
                     .chance = 0.5,
                     .pairs = true}),
        filler_(filler),
        gap_(gap) {}

  std::string symbol_name(int64_t index) const override {
    static constexpr const char* kNames[] = {"A", "B", "A-first", "B-first"};
    return index < kFiller ? kNames[index] : "~" + std::to_string(index - kFiller);
  }

  Probe make(const ProbeRequest& request, const Vocabulary& vocabulary) const override {
    Rng rng = probe_stream(request, request.training ? request.index : request.index / 2);
    const int64_t start = vocabulary.begin ? 1 : 0;
    const int64_t body = request.length - 2 - start;
    const auto symbol = [&](int64_t i) { return vocabulary.symbols[size_t(i)]; };

    Probe p;
    p.tokens = filler_sequence(body, kFiller, filler_, rng, vocabulary);
    const auto [first, second] = places(body, rng);
    const bool b_first = request.training ? rng.below(2) == 1 : request.index % 2 == 1;
    p.needle_offsets = {start + first, start + second};
    p.tokens[size_t(start + first)] = symbol(b_first ? kMarkerB : kMarkerA);
    p.tokens[size_t(start + second)] = symbol(b_first ? kMarkerA : kMarkerB);
    p.query_offset = p.length();
    p.tokens.push_back(vocabulary.ask);
    const Token label = symbol(b_first ? kBFirst : kAFirst);
    p.targets.push_back({p.length(), label, p.query_offset - p.needle_offsets.front()});
    p.tokens.push_back(label);

    p.candidates = {symbol(kAFirst), symbol(kBFirst)};
    p.answer_budget = 1;
    p.depth = body > 1 ? double(first) / double(body - 1) : 0.0;
    p.group = "pair-" + std::to_string(request.index / 2);
    p.guesses = {{"always A-first", symbol(kAFirst)}};
    return p;
  }

 private:
  /// Offsets of the two markers within the body, the first before the second.
  std::pair<int64_t, int64_t> places(int64_t body, Rng& rng) const {
    if (gap_) {
      const int64_t first = rng.below(body - *gap_);
      return {first, first + *gap_};
    }
    auto both = rng.distinct(2, body);
    std::sort(both.begin(), both.end());
    return {both[0], both[1]};
  }

  int64_t filler_;
  std::optional<int64_t> gap_;
};

}  // namespace

extern const SuiteInfo order_swap_suite{
    "order_swap",
    "which of two markers came first; pairs with the same tokens in two orders",
    "cf. Vaswani et al. 2017, arXiv:1706.03762, section 3.5",
    {},
    [](ConfigNode& o) -> std::unique_ptr<Suite> {
      const int64_t filler = o.integer("filler", 16, {1, 4096}, "distinct filler symbols");
      const auto gap =
          o.optional_integer("gap", {1, 1 << 24}, "exact distance between the two markers; any when absent");
      return std::make_unique<OrderSwap>(filler, gap);
    }};
}  // namespace lw
