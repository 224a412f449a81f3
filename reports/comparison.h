// Two settings on the same probes: a scaled variant against the unscaled one with the same weights, or one run
// against another.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

/// What a comparison shows. Which of them may occur depends on who compares.
enum class Verdict {
  kNone,           // nothing was compared
  kBetter,         //
  kHeld,           // any loss is shown to be smaller than the margin
  kSlightlyWorse,  // a loss is found, and shown to be smaller than the margin
  kWorse,          //
  kUndecided,      // neither a difference nor its absence is shown
  kNoneFound,      // no difference is found
  kLost,           // the base has scores, the run has none
};
std::string_view verdict_words(Verdict verdict);  // "better", "slightly worse", "no difference found"; "" for kNone

/// Difference: variant minus baseline. Of right and wrong answers: a both right, b only the variant, c only the
/// baseline, d both wrong, summed over learned seeds.
struct Comparison {
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
  std::optional<double> baseline_value, value;
  std::optional<double> difference, low, high;
  std::optional<double> p, p_holm;  // exact McNemar, or sign-flip permutation; Holm over the rows of a scope
  std::optional<double> detectable;
  int64_t unpaired = 0;  // probes scored in one of the two only, or with another prompt
  Verdict verdict = Verdict::kNone;
  std::string reason;

  /// The p value to report: adjusted where it was adjusted. Only where there is a difference.
  double reported_p() const { return p_holm ? *p_holm : *p; }
  /// A difference was found, or scores were lost.
  bool found() const { return verdict == Verdict::kBetter || regressed(); }
  bool regressed() const { return verdict == Verdict::kWorse || lost > 0; }
};

}  // namespace lw
