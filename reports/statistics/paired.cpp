#include "reports/statistics/paired.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "harness/base/error.h"

namespace lw {
namespace {

/// P(X = k) for n fair coins.
double coin_probability(int64_t k, int64_t n) {
  const auto x = static_cast<double>(k), total = static_cast<double>(n);
  return std::exp(std::lgamma(total + 1) - std::lgamma(x + 1) - std::lgamma(total - x + 1) - total * std::log(2.0));
}

/// Tango's statistic at a hypothetical difference: falls as delta rises.
double tango_score(double b, double c, double n, double delta) {
  const double qa = 2 * n;
  const double qb = -b - c + (2 * n - b + c) * delta;
  const double qc = -c * delta * (1 - delta);
  const double q = (std::sqrt(std::max(0.0, qb * qb - 4 * qa * qc)) - qb) / (2 * qa);  // share of c under delta
  const double variance = n * (2 * q + delta * (1 - delta));
  const double distance = b - c - n * delta;
  if (variance <= 0) return distance == 0 ? 0 : std::copysign(INFINITY, distance);
  return distance / std::sqrt(variance);
}

/// Where `above` turns from true to false between low and high.
double turning_point(double low, double high, const std::function<bool(double)>& above) {
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (above(middle) ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// Share of all 2^n sign patterns whose |sum| is at least the observed one.
double sign_flip_exact(std::span<const double> values, double observed) {
  double sum = 0;
  for (const double v : values) sum += v;
  std::vector<double> signed_values(values.begin(), values.end());
  int64_t hits = 0;
  const uint64_t patterns = uint64_t{1} << values.size();
  for (uint64_t i = 1; i <= patterns; ++i) {
    hits += std::abs(sum) >= observed ? 1 : 0;
    if (i == patterns) break;
    double& flipped = signed_values[static_cast<size_t>(std::countr_zero(i))];  // Gray code: one sign a step
    sum -= 2 * flipped;
    flipped = -flipped;
  }
  return static_cast<double>(hits) / static_cast<double>(patterns);
}

}  // namespace

double mcnemar_exact(int64_t b, int64_t c) {
  const int64_t n = b + c, least = std::min(b, c);
  if (n == 0) return 1;
  double term = coin_probability(least, n), tail = 0;
  for (int64_t j = least; j >= 0 && term > 0; --j) {
    tail += term;
    term *= static_cast<double>(j) / static_cast<double>(n - j + 1);
  }
  return std::min(1.0, 2 * tail);
}

double sign_flip_counts(std::span<const int64_t> sums) {
  int64_t reach = 0, total = 0;
  double squares = 0;
  for (const int64_t sum : sums) {
    reach += std::abs(sum);
    total += sum;
    squares += static_cast<double>(sum) * static_cast<double>(sum);
  }
  if (reach == 0) return 1;
  if (reach > 4000) return std::erfc(static_cast<double>(std::abs(total)) / std::sqrt(2 * squares));
  // share[reach + s]: how probable the sum s is, cluster by cluster.
  std::vector<double> share(static_cast<size_t>(2 * reach + 1)), next(share.size());
  share[static_cast<size_t>(reach)] = 1;
  int64_t far = 0;
  for (const int64_t sum : sums) {
    const int64_t step = std::abs(sum);
    if (step == 0) continue;
    std::fill(next.begin(), next.end(), 0.0);
    for (int64_t s = -far; s <= far; ++s)
      for (const int64_t to : {s - step, s + step})
        next[static_cast<size_t>(reach + to)] += 0.5 * share[static_cast<size_t>(reach + s)];
    share.swap(next);
    far += step;
  }
  double tail = 0;
  for (int64_t s = -reach; s <= reach; ++s)
    if (std::abs(s) >= std::abs(total)) tail += share[static_cast<size_t>(reach + s)];
  return std::min(1.0, tail);
}

Interval tango(const PairedCounts& counts, double z) {
  return tango(static_cast<double>(counts.b), static_cast<double>(counts.c), static_cast<double>(counts.n()), z);
}

Interval tango(double b, double c, double n, double z) {
  LW_CHECK(n > 0, "a paired difference of nothing has no interval");
  const double d = (b - c) / n;
  Interval result{-1, 1};
  if (d > -1) result.low = turning_point(-1, d, [&](double delta) { return tango_score(b, c, n, delta) >= z; });
  if (d < 1) result.high = turning_point(d, 1, [&](double delta) { return tango_score(b, c, n, delta) > -z; });
  return result;
}

double sign_flip(std::span<const double> differences, Rng rng, int64_t draws) {
  double sum = 0, size = 0;
  for (const double v : differences) {
    sum += v;
    size += std::abs(v);
  }
  if (differences.empty() || size <= 0) return 1;
  const double observed = std::abs(sum) - 1e-10 * size;  // equal sums must count as equal after rounding
  if (differences.size() <= 20) return sign_flip_exact(differences, observed);
  int64_t hits = 0;
  for (int64_t i = 0; i < draws; ++i) {
    double flipped = 0;
    uint64_t bits = 0;
    for (size_t j = 0; j < differences.size(); ++j) {
      if (j % 64 == 0) bits = rng.next();
      flipped += (bits >> (j % 64) & 1) != 0 ? differences[j] : -differences[j];
    }
    hits += std::abs(flipped) >= observed ? 1 : 0;
  }
  return static_cast<double>(1 + hits) / static_cast<double>(1 + draws);
}

std::optional<PairedMean> paired_mean(std::span<const Clustered> differences, const Rng& rng) {
  const auto mean = clustered_mean(differences);
  if (!mean) return std::nullopt;
  std::map<std::string_view, double> clusters;
  std::vector<double> sums;
  for (const auto& v : differences) {
    if (v.cluster.empty())
      sums.push_back(v.weight * v.value);
    else
      clusters[v.cluster] += v.weight * v.value;
  }
  for (const auto& [name, sum] : clusters) sums.push_back(sum);
  return PairedMean{*mean, mean_interval(*mean), sign_flip(sums, rng)};
}

}  // namespace lw
