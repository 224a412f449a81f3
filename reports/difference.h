// The one rule by which two settings are compared. Between trainings the seeds are the unit: the difference, its
// interval and its p value come from the seeds' own differences. Between two given models the probes are the unit.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/rng.h"
#include "reports/comparison.h"
#include "reports/pairing.h"

namespace lw {

/// The pairs of values of one seed.
struct SeedPairs {
  int64_t seed = 0;
  std::string models;  // names the weights of both sides: seeds with equal models are one unit
  bool given = false;  // both sides have the same weights, or weights that were loaded: training brings no luck
  std::vector<PairedValue> values;
};

/// Fills what `row` says in numbers, without verdict and correction; nothing when no seed has a value.
/// Two and more seeds: Student's t over their differences, never narrower or surer than the probes alone are. One pair
/// of given models: the probes alone. One training a side: the difference, and nothing on how sure it is.
/// The probes of right and wrong answers: sign flips of clusters (McNemar's exact test where a probe stands alone)
/// with Tango's interval; targets and nats: a clustered t interval with sign flips of clusters.
/// @param chance of a blind choice, where there is one.
void set_difference(Comparison& row, std::span<const SeedPairs> seeds, const Metric& metric,
                    const std::optional<double>& chance, const Rng& rng);

/// Corrects p over all rows, Holm over the scopes that carry claims and Benjamini-Hochberg over the others, and
/// gives every row its verdict.
/// @param margin a difference smaller than this counts as none.
/// @param alpha a corrected p below it is a difference.
void judge(std::span<Comparison> rows, double margin, double alpha = 0.05);

}  // namespace lw
