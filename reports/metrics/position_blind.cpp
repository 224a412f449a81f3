// The share of pairs whose answer stays when the order is swapped.
#include "reports/metrics/observe.h"

namespace lw {
namespace {

std::vector<Observation> observe_position_blind(std::span<const Record* const> records) {
  return observe_pairs(records, [](const Record& x, const Record& y) -> std::optional<double> {
    if (x.gold == y.gold) return std::nullopt;  // the right answer does not move, so the model's need not either
    return x.answer == y.answer ? 1 : 0;
  });
}

}  // namespace

extern const Metric position_blind_metric;
const Metric position_blind_metric = {
    .name = "position_blind",
    .words = "position-blind share",
    .summary = "share of pairs whose answer stays when the order is swapped; lower is better",
    .brief = "unmoved",
    .unit = Unit::kPair,
    .better = Better::kLower,
    .shown = Shown::kPairs,
    .applies = [](const SuiteFacts& facts) { return facts.pairs && facts.candidates; },
    .observe = observe_position_blind,
};

}  // namespace lw
