// Mean negative log-likelihood above the predictor that knows how the text was made.
#include <algorithm>

#include "reports/metrics/observe.h"

namespace lw {
namespace {

std::vector<Observation> observe_excess_nll(std::span<const Record* const> records) {
  std::vector<Observation> result;
  for (const Record* r : records) {
    const auto ideal = std::find_if(r->baselines.begin(), r->baselines.end(),
                                    [](const auto& baseline) { return baseline.first == kIdealNll; });
    if (ideal == r->baselines.end()) continue;
    Observation o = of_record(*r, 0);
    if (o.nll_count == 0) continue;
    o.weight = static_cast<double>(o.nll_count);
    o.value = o.nll_sum / o.weight - ideal->second;
    result.push_back(o);
  }
  return result;
}

}  // namespace

extern const Metric excess_nll_metric;
const Metric excess_nll_metric = {
    .name = "excess_nll",
    .words = "NLL above the ideal",
    .nats = "nats",
    .summary = "mean negative log-likelihood of a target, less that of the predictor that knows how the text was made",
    .brief = "nats above the ideal",
    .unit = Unit::kTarget,
    .better = Better::kLower,
    .shown = Shown::kLikelihood,
    .main = 3,
    .sliced = true,
    .ideal_level = 0,
    .applies = [](const SuiteFacts& facts) { return facts.ideal; },
    .observe = observe_excess_nll,
};

}  // namespace lw
