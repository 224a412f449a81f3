// Two settings on the same probes: a scaled variant against the unscaled one with the same weights, or one run
// against another.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/bin.h"

namespace lw {

/// What one comparison takes together.
enum class Scope {
  kShort,     // all lengths up to the training length
  kBeyond,    // all lengths beyond it
  kLength,    // one length
  kDistance,  // one length and one bin of distances
};
std::string_view scope_name(Scope scope);   // "short", "beyond", "length", "distance": keys in JSON
std::string_view scope_title(Scope scope);  // "Inside the training length"
/// Whether sentences are made of it. The other scopes are tables to explore.
inline bool carries_claims(Scope scope) { return scope == Scope::kShort || scope == Scope::kBeyond; }

/// What the interval, the p value and the verdict are about, which is what their unit is.
enum class About {
  kNothing,     // nothing was compared
  kWeights,     // one pair of models with the same weights, or two loaded ones: probes are the unit
  kSeeds,       // the schemes: the seeds' own differences are the unit
  kOneTraining  // the sides were trained apart, once each: nothing shows what the luck of training does
};
std::string_view about_name(About about);  // "weights", "seeds", "one training": keys in JSON; "" for kNothing

enum class Verdict {
  kNone,            // nothing was compared
  kBetter,          //
  kSlightlyBetter,  // a gain is found, and shown to be smaller than the margin
  kHeld,            // any loss is shown to be smaller than the margin
  kSlightlyWorse,   // a loss is found, and shown to be smaller than the margin
  kWorse,           //
  kUndecided,       // neither a difference nor its absence is shown
  kAtChance,        // neither side is shown above chance and guessing: nothing can be lost
  kOneSeed,         // trained apart, once each
  kIncomplete,      // some probes have no score on one side
  kLost,            // the base has scores, the run has none
};
std::string_view verdict_words(Verdict verdict);  // "better", "slightly worse", "one seed cannot tell"; "" for kNone

/// What was found, and how sure it is.
struct Finding {
  std::optional<double> low, high;  // 95 % interval of the difference
  std::optional<double> p;
  std::optional<double> p_adjusted;  // Holm in scopes that carry claims, else Benjamini and Hochberg
  Verdict verdict = Verdict::kNone;
};

/// The difference of one seed.
struct SeedDifference {
  int64_t seed = 0;
  double difference = 0;
};

/// Difference: variant minus baseline, a mean over learned seeds. Of right and wrong answers: a both right, b only the
/// variant, c only the baseline, d both wrong, summed over seeds.
struct Comparison : Finding {
  std::string variant;   // "rope-linear-8"; between runs "rope", or "rope -> rope-linear-8" when the names differ
  std::string baseline;  // the variant it is compared against
  std::string suite, metric;
  Scope scope = Scope::kLength;
  std::optional<int64_t> length;
  std::optional<Bin> distance;
  bool in_length = false;
  int64_t seeds = 0;
  int64_t n = 0;
  int64_t lost = 0;  // probes that the base scored and the run could not; in rows of one length between runs
  int64_t a = 0, b = 0, c = 0, d = 0;
  std::optional<double> baseline_value, value, difference;
  About about = About::kNothing;
  std::vector<SeedDifference> by_seed;
  /// Where both sides have the same weights: what holds of these models, whatever other seeds would give.
  std::optional<Finding> on_weights;
  std::optional<double> detectable;
  bool at_chance = false;  // neither side is shown above chance and every guess
  int64_t unpaired = 0;    // probes scored in one of the two only, or with another prompt
  int64_t missing = 0;     // of these, probes of both sides that have no score on one of them
  std::string reason;

  /// Shown of the seeds, or of these weights.
  bool shows(Verdict what) const { return verdict == what || (on_weights && on_weights->verdict == what); }
  /// A difference was found, or scores were lost.
  bool found() const { return shows(Verdict::kBetter) || regressed(); }
  bool regressed() const { return shows(Verdict::kWorse) || lost > 0; }
};

}  // namespace lw
