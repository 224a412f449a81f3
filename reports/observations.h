// The metrics: how the records of a suite turn into values that can be averaged.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/summary.h"

namespace lw {

/// One value of one metric, with what it may be grouped by.
struct Observation {
  double value = 0;
  double weight = 1;         // targets behind it, for means of nats
  std::string_view cluster;  // values of one cluster are not independent; empty: on its own
  std::optional<int64_t> distance;
  std::optional<double> depth;
  std::optional<int64_t> offset;
  double nll_sum = 0;  // nats over nll_count targets of the same probe or target
  int64_t nll_count = 0;
  bool early = false;       // of a target that counts in breakdowns by distance and position alone
  double chance_power = 1;  // a blind guess is right with the suite's chance to this power
  const Record* record = nullptr;
  const Record* partner = nullptr;  // the other probe of a pair
};

/// What a suite's records hold, over all settings.
struct SuiteFacts {
  bool candidates = false;  // some record says `correct`
  bool free = false;        // some record says `correct_free`
  bool several = false;     // some record has several judged targets with `correct`
  bool pairs = false;
  bool ideal = false;          // some record has the ideal predictor's nll
  bool likelihood = false;     // some record has nll
  bool offsets_vary = false;   // judged tokens stand at several offsets within one probe
  std::vector<double> depths;  // exact ones, ascending; empty when there are many: then depth is binned
  bool has_depth = false;
};

struct Metric {
  std::string_view name;
  std::string_view unit;   // what an observation is: "probe", "pair", "target"
  bool share = false;      // values are 0 or 1
  bool by_target = false;  // distance and offset are the target's own
  bool guesses = false;    // guess baselines apply
  bool sliced = false;     // also by distance, depth and offset
  bool (*applies)(const SuiteFacts&);
  /// Observations of scored records of one setting, suite and length, in their order.
  std::vector<Observation> (*observe)(std::span<const Record* const>);
};

/// In the order in which reports list them.
std::span<const Metric> metrics();
const Metric& metric(std::string_view name);
/// The share of right answers: of probes, or of targets where a probe asks several things.
std::string answer_metric(const SuiteFacts& facts);
bool counts_answers(std::string_view metric_name);
/// The metric a suite is mainly judged by: answer_metric, or excess_nll or nll where there are no candidates.
std::string main_metric(const SuiteFacts& facts);
bool is_share(std::string_view metric_name);
/// Whether a larger value is better; nothing for metrics without a good end.
std::optional<bool> higher_is_better(std::string_view metric_name);

inline constexpr std::string_view kIdealNll = "ideal_nll";

}  // namespace lw
