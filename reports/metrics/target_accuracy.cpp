// The share of right targets, where a probe asks for several.
#include "reports/metrics/observe.h"

namespace lw {
namespace {

std::vector<Observation> observe_target_accuracy(std::span<const Record* const> records) {
  std::vector<Observation> result;
  for (const Record* r : records)
    for (const auto& t : r->targets)
      if (t.correct) result.push_back(of_target(*r, t, *t.correct ? 1 : 0));
  return result;
}

}  // namespace

extern const Metric target_accuracy_metric;
const Metric target_accuracy_metric = {
    .name = "target_accuracy",
    .words = "share of targets right",
    .summary = "share of right targets; a probe counts as right only when all of its targets are",
    .brief = "targets",
    .unit = Unit::kTarget,
    .better = Better::kHigher,
    .shown = Shown::kAnswers,
    .main = 1,
    .chance = true,
    .guesses = true,
    .sliced = true,
    .paired = true,
    .applies = [](const SuiteFacts& facts) { return facts.several; },
    .observe = observe_target_accuracy,
};

}  // namespace lw
