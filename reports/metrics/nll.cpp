// Mean negative log-likelihood of the targets.
#include "reports/metrics/observe.h"

namespace lw {
namespace {

std::vector<Observation> observe_nll(std::span<const Record* const> records) {
  std::vector<Observation> result;
  for (const Record* r : records) {
    for (const auto& t : r->targets) result.push_back(of_target(*r, t, t.nll));
    if (r->targets.empty() && r->nll) result.push_back(of_record(*r, *r->nll));
  }
  return result;
}

}  // namespace

extern const Metric nll_metric;
const Metric nll_metric = {
    .name = "nll",
    .words = "NLL",
    .nats = "nats",
    .summary = "mean negative log-likelihood of a target",
    .brief = "nats",
    .unit = Unit::kTarget,
    .better = Better::kLower,
    .shown = Shown::kLikelihood,
    .main = 4,
    .sliced = true,
    .by_offset = true,
    .paired = true,
    .ideal_curve = true,
    .applies = [](const SuiteFacts& facts) { return facts.likelihood; },
    .observe = observe_nll,
};

}  // namespace lw
