// The share of pairs of which both orders are answered right.
#include "reports/metrics/observe.h"

namespace lw {
namespace {

std::vector<Observation> observe_pair_accuracy(std::span<const Record* const> records) {
  return observe_pairs(records, [](const Record& x, const Record& y) -> std::optional<double> {
    return *x.correct && *y.correct ? 1 : 0;
  });
}

}  // namespace

extern const Metric pair_accuracy_metric;
const Metric pair_accuracy_metric = {
    .name = "pair_accuracy",
    .words = "pair accuracy",
    .summary = "share of pairs with both orders right",
    .brief = "both right",
    .unit = Unit::kPair,
    .better = Better::kHigher,
    .shown = Shown::kPairs,
    .chance = true,
    .guesses = true,
    .sliced = true,
    .applies = [](const SuiteFacts& facts) { return facts.pairs && facts.candidates; },
    .observe = observe_pair_accuracy,
};

}  // namespace lw
