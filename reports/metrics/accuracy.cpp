// The share of probes whose gold answer is the best of the candidates.
#include "reports/metrics/observe.h"

namespace lw {

extern const Metric accuracy_metric;
const Metric accuracy_metric = {
    .name = "accuracy",
    .words = "accuracy",
    .summary = "share of probes whose gold answer is the best of the candidates",
    .brief = "",
    .unit = Unit::kProbe,
    .better = Better::kHigher,
    .shown = Shown::kAnswers,
    .main = 2,
    .chance = true,
    .guesses = true,
    .sliced = true,
    .paired = true,
    .applies = [](const SuiteFacts& facts) { return facts.candidates; },
    .observe = [](std::span<const Record* const> records) { return observe_answers(records, &Record::correct); },
};

}  // namespace lw
