// Metrics: how the records of a suite become values that can be averaged, and what reports say of each. To add one,
// write a file beside this one and a line in registry.cpp.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/results/record.h"

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
  bool several = false;     // some record has several scored targets with `correct`
  bool pairs = false;
  bool ideal = false;          // some record has the ideal predictor's nll
  bool likelihood = false;     // some record has nll
  bool offsets_vary = false;   // scored tokens stand at several offsets within one probe
  std::vector<double> depths;  // exact ones, ascending; empty when there are many: then depth is binned
  bool has_depth = false;
};

/// What one observation is about.
enum class Unit { kProbe, kPair, kTarget };
std::string_view unit_name(Unit unit);  // "probe", "pair", "target"

enum class Better { kHigher, kLower };

/// Where a report shows the metric.
enum class Shown {
  kAnswers,     // by length, of suites whose probes have right and wrong answers
  kPairs,       // of suites whose probes come in pairs that swap the order
  kLikelihood,  // of suites without answers
  kTablesOnly,  // in summary.json and tables/*.csv alone
};

struct Metric {
  std::string_view name;       // key in summary.json: "excess_nll"
  std::string_view words;      // "NLL above the ideal"
  std::string_view nats = {};  // "nats" for means of nats, "" for shares
  std::string_view summary;    // one clause
  std::string_view brief;      // heads a narrow column: "both right"; behind a suite's name: "targets"
  Unit unit = Unit::kProbe;
  Better better = Better::kHigher;
  Shown shown = Shown::kTablesOnly;
  int main = 0;            // a suite's main metric is the one with the lowest number that it has; 0: never
  bool chance = false;     // a blind choice among the candidates may be right
  bool guesses = false;    // guess baselines apply
  bool sliced = false;     // also by distance and depth
  bool by_offset = false;  // also by the target's offset in the sequence
  bool paired = false;     // can be compared probe by probe
  std::optional<double> ideal_level = {};  // what the ideal predictor scores
  bool ideal_curve = false;                // the ideal predictor has a score at each length, kIdealNll
  bool (*applies)(const SuiteFacts&) = nullptr;
  /// Observations of scored records of one setting, suite and length, in their order.
  std::vector<Observation> (*observe)(std::span<const Record* const>) = nullptr;

  /// Values are 0 or 1, means are from 0 to 1.
  bool share() const { return nats.empty(); }
  /// "NLL above the ideal (nats)".
  std::string title() const;
};

/// In the order in which reports list them.
std::span<const Metric* const> metrics();
/// @throws Error(kInput) for a name that no metric has.
const Metric& metric(std::string_view name);

/// The metric by which a suite is mainly evaluated.
const Metric& main_metric(const SuiteFacts& facts);
/// The metrics by which two settings can be compared on a suite.
std::vector<const Metric*> paired_metrics(const SuiteFacts& facts);
/// The one of them that stands for all: the main metric where it can be compared.
const Metric& paired_metric(const SuiteFacts& facts);

/// Name of the baseline that holds the ideal predictor's nats.
inline constexpr std::string_view kIdealNll = "ideal_nll";

}  // namespace lw
