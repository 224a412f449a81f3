// Two settings on the same probes: only probes on which they disagree carry information.
#pragma once
#include <cstdint>
#include <span>

#include "harness/base/rng.h"
#include "reports/statistics/intervals.h"

namespace lw {

/// Counts of a pair of binary scores: both right, only A, only B, both wrong.
struct PairedCounts {
  int64_t a = 0, b = 0, c = 0, d = 0;

  int64_t n() const { return a + b + c + d; }
  /// (b - c) / n: A minus B. n > 0.
  double difference() const { return static_cast<double>(b - c) / static_cast<double>(n()); }
  void add(bool a_right, bool b_right) { ++(a_right ? (b_right ? a : b) : (b_right ? c : d)); }
};

/// McNemar's exact two-sided p from the discordant counts: binomial with share one half. 1 when there are none.
double mcnemar_exact(int64_t b, int64_t c);

/// The same where probes stand in clusters: `sums` are only A minus only B of each cluster, and whole clusters are
/// flipped. Exact up to a total of 4,000, normal beyond. Clusters of one give McNemar's p.
double sign_flip_counts(std::span<const int64_t> sums);

/// Score interval for the paired difference (Tango 1998, Statistics in Medicine 17). n > 0.
Interval tango(const PairedCounts& counts, double z = kZ95);
/// The same for numbers that need not be whole: of n probes, b only A and c only B.
Interval tango(double b, double c, double n, double z = kZ95);

/// Two-sided p of the sum of `differences` when each may as well have had the other sign. All 2^n patterns for
/// n <= 20, else `draws` random ones: (1 + hits) / (1 + draws), never 0. 1 when there is nothing.
double sign_flip(std::span<const double> differences, Rng rng, int64_t draws = 9999);

/// Mean of paired differences, with clusters, and the sign-flip p over clusters (the unit that is exchangeable).
struct PairedMean {
  ClusteredMean mean;
  std::optional<Interval> interval;  // absent with one cluster
  double p = 1;
};
/// Absent without values.
std::optional<PairedMean> paired_mean(std::span<const Clustered> differences, const Rng& rng);

}  // namespace lw
