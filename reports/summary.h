// Records grouped into cells, pooled over seeds and compared: every number that any report prints.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/results/manifest.h"
#include "harness/results/record.h"
#include "reports/bin.h"
#include "reports/comparison.h"

namespace lw {

/// Options of summarise(). Kept in summary.json, so that a report made again is the same.
struct SummaryOptions {
  double bar = 0.85;     // effective length: an accuracy that still counts as working
  double margin = 0.05;  // a loss smaller than this counts as none (accuracy, or nats)
  /// Increasing lower ends of distance bins, which double beyond the last; empty: as DistanceBins finds them.
  std::vector<int64_t> distance_edges;
};

using Baselines = std::vector<std::pair<std::string, double>>;

/// One number of one metric. Lists ascend by setting, suite, metric, length; `distance`, `depth` and
/// `offset` are absent where all of them are taken together, and never set two at a time.
/// `metric` is a name of reports/metrics.
struct Cell {
  std::string setting, suite, metric;
  int64_t length = 0;
  std::optional<Bin> distance;
  std::optional<double> depth;  // centre of the bin
  double depth_width = 0;       // 0: an exact depth
  std::optional<Bin> offset;    // of the scored token in the sequence
  bool in_length = false;       // length <= training length
  std::string unit;             // what `n` counts: "probe", "pair" or "target"
  int64_t n = 0;                // units behind the value
  int64_t clusters = 0;         // independent groups among them
  double effective_n = 0;       // n less what is alike inside clusters: what the interval of a share rests on
  std::optional<int64_t> k;     // of n, where the metric is a share
  std::optional<double> value, low, high;
  std::string interval;       // how low and high were found: "wilson", "wilson, clustered", "t, clustered"
  std::optional<double> nll;  // mean nats a target over the same probes
  std::optional<double> chance;
  Baselines baselines;               // guesses scored on the same probes; for nll the ideal predictor
  std::optional<double> detectable;  // smallest difference to another run of this size found with 80 % power
  int64_t n_total = 0, n_scored = 0, n_too_long = 0, n_no_position = 0, n_failed = 0;  // probes
  /// Of an incomplete share: its value with every probe without a score counted as wrong, and as right.
  std::optional<double> bound_low, bound_high;
  std::string unscored;  // how many have no score, and why: "2 failed: logits not finite"
  std::string reason;    // the reason that value is absent: "no position: no vector for position 32"

  /// Every probe was scored. The value of another cell is that of the probes that survived: nothing may be claimed
  /// from it.
  bool complete() const { return n_scored == n_total; }
};

/// What one seed says about a pooled number.
struct SeedValue {
  int64_t seed = 0;
  bool learned = true;
  int64_t n = 0;
  std::optional<double> value, low, high;
  std::string reason;
};

/// A cell over the seeds of a variant. Seeds that did not learn the suite never enter the mean.
struct Pooled {
  std::string variant, suite, metric;
  int64_t length = 0;
  std::optional<Bin> distance;
  std::optional<double> depth;
  double depth_width = 0;
  std::optional<Bin> offset;
  bool in_length = false;
  int64_t seeds_total = 0, seeds_learned = 0, seeds_measured = 0;  // measured: learned, and with a value
  std::optional<double> value, low, high;
  std::string interval;  // "t over 3 seeds", "range of 2 seeds", or the one seed's own
  std::optional<double> chance;
  Baselines baselines;
  std::vector<SeedValue> seeds;
  int64_t n = 0, n_total = 0, n_scored = 0;     // over learned seeds
  std::optional<double> bound_low, bound_high;  // as in Cell
  std::string unscored;                         // "seed 2: 1 failed: logits not finite; seed 3: …"
  std::string reason;

  /// As in Cell, of every learned seed.
  bool complete() const { return n_scored == n_total; }
};

/// The longest length up to which one seed holds the bar; absent: < shortest.
struct SeedReach {
  int64_t seed = 0;
  std::optional<int64_t> point;
};

/// How far a variant reaches on a suite: every tested length up to the given one holds the bar.
struct EffectiveLength {
  std::string variant, suite, metric;
  double bar = 0;
  std::optional<double> chance;
  int64_t train_length = 0, shortest = 0, longest = 0;  // longest that was measured
  std::optional<int64_t> proven;  // every learned seed's one-sided 95 % lower bound holds the bar; absent: < shortest
  std::optional<int64_t>
      claimed;                   // proven for all of `family` variants at once: what a sentence about the best may say
  std::optional<int64_t> point;  // the mean over learned seeds holds it
  std::optional<int64_t> not_refuted;  // some seed's one-sided upper bound still holds it
  std::optional<double> crossing;      // where the mean meets the bar, interpolated in log2 length
  int64_t seeds_learned = 0, seeds_total = 0;
  int64_t family = 1;              // variants that learned the suite
  int64_t fewest = 0;              // independent probes of a seed at one length
  std::vector<SeedReach> by_seed;  // learned seeds
  std::string reason;              // the reason that there is none, or what ended it

  /// "< 16", "64", ">= 256": the bar held to the longest length is censored, and says so.
  std::string text(const std::optional<int64_t>& reached) const;
};

/// Area under a metric over log2 length, inside and beyond the training length, never together.
struct Curve {
  std::string variant, suite, metric;
  std::optional<double> in_length, beyond;
};

/// A question that a claim about longer contexts has to answer. `why` has the numbers that the answer rests on.
struct ProtocolItem {
  enum class State { kYes, kInPart, kNo, kTooFew, kNotAsked };  // in part: yes for some variants, not for others
  std::string key, text, why;
  State state = State::kNotAsked;
};
std::string_view state_name(ProtocolItem::State state);  // "yes", "in_part", "no", "too_few", "not_asked": keys in JSON

/// A sentence derived from the numbers by rule.
struct Claim {
  enum class Tone { kGood, kPrice, kBad, kNote };
  Tone tone = Tone::kNote;
  std::string headline, text;
};
std::string_view tone_name(Claim::Tone tone);  // "good", "price", "bad", "note"

/// Counts only: times are no part of a result.
struct Cost {
  std::string setting;
  int64_t probes = 0, tokens = 0, targets = 0;  // scored
  int64_t parameters = 0, train_steps = 0;
  MemoryCost memory;
  std::optional<double> memory_growth;  // p of bytes ~ length^p over memory.attention: 1 linear, 2 quadratic
};

struct Summary {
  static constexpr int kSchema = 1;
  Manifest manifest;
  SummaryOptions options;
  std::vector<Cell> cells;
  std::vector<Pooled> pooled;
  std::vector<EffectiveLength> effective_length;
  std::vector<Curve> curves;
  std::vector<Comparison> comparisons;
  std::vector<ProtocolItem> protocol;
  std::vector<Claim> verdict;
  std::vector<Cost> cost;
};

/// The only place with statistics. Pure: the order of records does not matter.
/// @throws Error(kInput) when a record does not fit the manifest: unknown setting or suite, an id twice in a
/// setting, `in_length` against the training length, a score missing or out of range.
Summary summarise(const Manifest& manifest, std::span<const Record> records, const SummaryOptions& options = {});

/// The text of summary.json: strict JSON, the same bytes for the same summary.
std::string summary_json(const Summary& summary);
/// The parts of summary.json that came from the run rather than from statistics.
/// @param place what errors call the text: the file's path. @throws Error(kInput).
std::pair<Manifest, SummaryOptions> manifest_from_json(std::string_view text, const std::string& place);

/// What a list of runs says of one: its settings, and what was concluded, as it stands in summary.json.
struct Conclusions {
  Manifest manifest;
  std::vector<EffectiveLength> effective_length;
  std::vector<Claim> verdict;
};
/// @throws Error(kInput) as manifest_from_json().
Conclusions conclusions_from_json(std::string_view text, const std::string& place);

}  // namespace lw
