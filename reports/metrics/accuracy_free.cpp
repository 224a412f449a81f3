// The share of probes whose gold answer is the best of the whole vocabulary.
#include "reports/metrics/observe.h"

namespace lw {

extern const Metric accuracy_free_metric;
const Metric accuracy_free_metric = {
    .name = "accuracy_free",
    .words = "accuracy over the vocabulary",
    .summary = "share of probes whose gold answer is the best of the whole vocabulary",
    .brief = "vocabulary",
    .unit = Unit::kProbe,
    .better = Better::kHigher,
    .shown = Shown::kTablesOnly,
    .guesses = true,
    .applies = [](const SuiteFacts& facts) { return facts.free; },
    .observe = [](std::span<const Record* const> records) { return observe_answers(records, &Record::correct_free); },
};

}  // namespace lw
