#include "reports/statistics/intervals.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include "harness/base/error.h"

namespace lw {
namespace {

/// Continued fraction of the incomplete beta function (Lentz's method; DLMF 8.17.22).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  const auto away_from_zero = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double result = d;
  for (int m = 1; m <= 500; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    result *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    result *= d * c;
    if (std::abs(d * c - 1) < 1e-15) break;
  }
  return result;
}

/// Regularised incomplete beta function I_x(a, b).
double beta_share(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/// P(T > t) for t >= 0.
double student_t_tail(double t, double df) { return 0.5 * beta_share(df / 2, 0.5, df / (df + t * t)); }

/// Sum of w (x - mean) of each cluster.
std::vector<double> residuals(std::span<const Clustered> values, double mean) {
  std::map<std::string_view, double> named;
  std::vector<double> sums;
  for (const auto& v : values) {
    if (v.cluster.empty())
      sums.push_back(v.weight * (v.value - mean));
    else
      named[v.cluster] += v.weight * (v.value - mean);
  }
  for (const auto& [name, sum] : named) sums.push_back(sum);
  return sums;
}

}  // namespace

Interval wilson(double p, double n, double z) {
  LW_CHECK(n > 0 && p >= 0 && p <= 1, "a share of nothing has no interval");
  const double z2 = z * z;
  const double scale = 1 + z2 / n;
  const double centre = (p + z2 / (2 * n)) / scale;
  const double half = z * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / scale;
  // At 0 and 1 the exact ends are 0 and 1; rounding must not leave them outside.
  return {p <= 0 ? 0 : std::max(0.0, centre - half), p >= 1 ? 1 : std::min(1.0, centre + half)};
}

Interval wilson_count(int64_t k, int64_t n, double z) {
  return wilson(static_cast<double>(k) / static_cast<double>(n), static_cast<double>(n), z);
}

double normal_quantile(double p) {
  LW_CHECK(p > 0 && p < 1, "normal quantile outside its domain");
  if (p < 0.5) return -normal_quantile(1 - p);
  const double tail = 1 - p;
  double low = 0, high = 40;
  for (int i = 0; i < 200 && high - low > 1e-15 * high; ++i) {
    const double middle = 0.5 * (low + high);
    (0.5 * std::erfc(middle / std::numbers::sqrt2) > tail ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double student_t_p(double t, double df) {
  LW_CHECK(df >= 1, "t without degrees of freedom");
  return std::min(1.0, 2 * student_t_tail(std::abs(t), df));
}

double student_t_quantile(double p, double df) {
  LW_CHECK(p > 0 && p < 1 && df >= 1, "t quantile outside its domain");
  if (p < 0.5) return -student_t_quantile(1 - p, df);
  const double tail = 1 - p;
  double low = 0, high = 2;
  while (student_t_tail(high, df) > tail) high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-14 * high; ++i) {
    const double middle = 0.5 * (low + high);
    (student_t_tail(middle, df) > tail ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

std::optional<MeanInterval> t_interval(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  const auto n = static_cast<double>(values.size());
  MeanInterval result;
  for (const double v : values) result.mean += v / n;
  double squares = 0;
  for (const double v : values) squares += (v - result.mean) * (v - result.mean);
  result.sd = std::sqrt(squares / (n - 1));
  result.half = student_t_quantile(0.975, n - 1) * result.sd / std::sqrt(n);
  return result;
}

std::optional<ClusteredMean> clustered_mean(std::span<const Clustered> values, bool corrected) {
  double weight = 0, sum = 0;
  for (const auto& v : values) {
    weight += v.weight;
    sum += v.weight * v.value;
  }
  if (weight <= 0) return std::nullopt;
  ClusteredMean result;
  result.mean = sum / weight;
  const auto clusters = residuals(values, result.mean);
  double squares = 0;
  for (const double r : clusters) squares += r * r;
  result.clusters = static_cast<int64_t>(clusters.size());
  const auto count = static_cast<double>(clusters.size());
  if (count > 1) result.error = std::sqrt(squares * (corrected ? count / (count - 1) : 1.0)) / weight;
  return result;
}

double effective_size(std::span<const Clustered> values, double low, double high) {
  if (values.empty()) return 0;
  const auto n = static_cast<double>(values.size());
  const double size = n / static_cast<double>(residuals(values, 0).size());  // of a mean cluster
  if (size == 1) return n;
  double sum = 0;
  for (const auto& v : values) sum += v.value;
  const double mean = (sum + size * (low + high)) / (n + 2 * size);
  const double ends = (low - mean) * (low - mean) + (high - mean) * (high - mean);
  double squares = size * size * ends, alone = size * ends;  // of the two added clusters
  for (const double r : residuals(values, mean)) squares += r * r;
  for (const auto& v : values) alone += (v.value - mean) * (v.value - mean);
  return n / std::max(1.0, squares / alone);
}

std::optional<Interval> mean_interval(const ClusteredMean& mean, bool normal) {
  if (mean.clusters < 2) return std::nullopt;
  const double quantile = normal ? kZ95 : student_t_quantile(0.975, static_cast<double>(mean.clusters - 1));
  return Interval{mean.mean - quantile * mean.error, mean.mean + quantile * mean.error};
}

}  // namespace lw
