// Intervals for shares and means: the ones that stay right near 0 and 1, in clusters and over few seeds.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace lw {

// Quantiles of the standard normal distribution.
inline constexpr double kZ95 = 1.959963984540054;           // two-sided 95 %
inline constexpr double kZ95OneSided = 1.6448536269514722;  // one-sided 95 %
inline constexpr double kZ80Power = 0.8416212335729143;     // 80 % power

/// Two-sided 95 % unless said otherwise.
struct Interval {
  double low = 0, high = 0;
};

/// Wilson (1927) score interval for a share found as p in n trials; n may be an effective number. n > 0.
Interval wilson(double p, double n, double z = kZ95);
/// The same for k right of n.
Interval wilson_count(int64_t k, int64_t n, double z = kZ95);

/// Quantile of the standard normal distribution, 0 < p < 1.
double normal_quantile(double p);

/// Two-sided p of Student's t with df degrees of freedom (df >= 1).
double student_t_p(double t, double df);

/// Quantile of Student's t with df degrees of freedom (df >= 1, 0 < p < 1), to about 1e-12.
double student_t_quantile(double p, double df);

struct MeanInterval {
  double mean = 0;
  double sd = 0;    // n - 1
  double half = 0;  // half-width of the two-sided 95 % t interval
};
/// For seeds: each value is one unit. Absent with fewer than two values.
std::optional<MeanInterval> t_interval(std::span<const double> values);

/// One value with its weight, in a cluster of values that are not independent.
struct Clustered {
  double value = 0;
  double weight = 1;         // of the value in the mean: the number of targets behind it
  std::string_view cluster;  // empty: on its own
};

struct ClusteredMean {
  double mean = 0;
  double error = 0;  // standard error; 0 with one cluster, where there is none
  int64_t clusters = 0;
};
/// Weighted mean with the clustered standard error of Miller (2024, arXiv 2411.00640):
/// sqrt(sum over clusters of (sum of w (x - mean))^2) / sum of w. @param corrected times sqrt(G / (G - 1)).
/// Absent without values.
std::optional<ClusteredMean> clustered_mean(std::span<const Clustered> values, bool corrected = true);

/// How many independent values a mean over clusters is worth: n over the design effect (at least 1). The effect is
/// measured with one cluster of mean size at each end of the range added, so that a mean at an end, where nothing
/// shows how alike a cluster is, counts nearer to its clusters than to its values. Weights must be 1.
/// @param low,high the ends of the range: 0 and 1 for shares, -1 and 1 for their differences.
double effective_size(std::span<const Clustered> values, double low = 0, double high = 1);

/// Two-sided 95 % interval for a clustered mean by Student's t with G - 1 degrees of freedom, or by the normal
/// quantile when `normal`. Absent with one cluster.
std::optional<Interval> mean_interval(const ClusteredMean& mean, bool normal = false);

}  // namespace lw
