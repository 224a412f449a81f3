#include "harness/base/registry.h"

#include <array>

#include "harness/base/error.h"
#include "reports/metrics/metric.h"

namespace lw {

// One line a metric, in the order in which reports list them. A metric is `const Metric NAME_metric` in NAME.cpp.
#define LW_METRICS(X) \
  X(accuracy)         \
  X(accuracy_free)    \
  X(target_accuracy)  \
  X(pair_accuracy)    \
  X(position_blind)   \
  X(nll)              \
  X(excess_nll)

#define LW_DECLARE(name) extern const Metric name##_metric;
LW_METRICS(LW_DECLARE)
#undef LW_DECLARE

std::span<const Metric* const> metrics() {
#define LW_LIST(name) &name##_metric,
  static constexpr std::array kMetrics = {LW_METRICS(LW_LIST)};
#undef LW_LIST
  return kMetrics;
}

const Metric& metric(std::string_view name) {
  if (const Metric* found = find_named(metrics(), name)) return *found;
  throw Error(ErrorKind::kInput, "metric: " + unknown_name(metrics(), name));
}

std::string_view unit_name(Unit unit) {
  switch (unit) {
    case Unit::kProbe:
      return "probe";
    case Unit::kPair:
      return "pair";
    case Unit::kTarget:
      return "target";
  }
  return "";
}

std::string Metric::title() const { return nats.empty() ? std::string(words) : text(words, " (", nats, ")"); }

const Metric& main_metric(const SuiteFacts& facts) {
  const Metric* best = nullptr;
  const Metric* last = nullptr;  // of a suite that nothing applies to
  for (const Metric* m : metrics()) {
    if (m->main == 0) continue;
    if (last == nullptr || m->main > last->main) last = m;
    if (m->applies(facts) && (best == nullptr || m->main < best->main)) best = m;
  }
  return best != nullptr ? *best : *last;
}

std::vector<const Metric*> paired_metrics(const SuiteFacts& facts) {
  const Metric& main = main_metric(facts);
  std::vector<const Metric*> found;
  for (const Metric* m : metrics())
    if (m->paired && m->shown == main.shown && (m->applies(facts) || m == &main)) found.push_back(m);
  return found;
}

const Metric& paired_metric(const SuiteFacts& facts) {
  const Metric& main = main_metric(facts);
  return main.paired ? main : *paired_metrics(facts).front();
}

}  // namespace lw
