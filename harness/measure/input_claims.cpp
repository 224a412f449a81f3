#include "harness/measure/input_claims.h"

#include <ATen/ops/cdist.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/base/numbers.h"
#include "harness/base/rng.h"

namespace lw {
namespace {

/// Longest range of positions for which codes are compared.
constexpr int64_t kFar = 65536;
/// Beyond this many codes, all pairs are compared only through their distances.
constexpr int64_t kAllPairs = 4096;
/// Widest codes for which a map of width x width is fitted.
constexpr int64_t kWidest = 512;
/// Shares of a code's size: below the first, two codes are the same; above the second, a fit has failed.
constexpr double kSame = 1e-6, kMisfit = 1e-6;

struct Codes {
  at::Tensor codes_ND;
  double size = 0;  // root mean square norm

  int64_t count() const { return codes_ND.size(0); }
};

Codes codes_at(const ModelShape& shape, const MakeEncoding& make, const at::Tensor& pos_1T) {
  Codes out{input_codes(*fresh_encoding(make), shape, pos_1T)};
  out.size = std::sqrt(out.codes_ND.square().sum(-1).mean().item<double>());
  return out;
}

std::string range_words(int64_t count) { return "positions 0 to " + format_grouped(count - 1); }

PositionClaim neighbours_distinct(const Codes& c) {
  PositionClaim claim{"neighbours_distinct", "neighbouring positions have different codes", {}, {}, {}};
  if (c.count() < 2) return claim;
  const auto gap_N = (c.codes_ND.slice(0, 1) - c.codes_ND.slice(0, 0, -1)).norm(2, -1);
  claim.value = gap_N.min().item<double>() / c.size;
  claim.holds = *claim.value > kSame;
  claim.detail = "smallest step between neighbours, as a share of a code's size, " + range_words(c.count());
  return claim;
}

struct Nearest {
  double gap = 0;
  int64_t first = 0, second = 0, compared = 0;
  bool by_distance = false;
};

/// Whether codes have one size and products that depend on distance alone: then the gap of every pair is that of
/// code 0 and one other, and N comparisons are all there are.
bool depends_on_distance(const Codes& c) {
  const int64_t n = c.count();
  const auto gram_at = [&](int64_t from, int64_t ahead) {
    return (c.codes_ND[from] * c.codes_ND[from + ahead]).sum().item<double>();
  };
  double worst = 0;
  for (const int64_t ahead : {int64_t{0}, int64_t{1}, int64_t{7}, n / 3, n / 2})
    for (const int64_t from : {int64_t{1}, n / 7, n / 4, n - 1 - std::min(ahead, n - 1)})
      if (from >= 0 && from + ahead < n) worst = std::max(worst, std::abs(gram_at(from, ahead) - gram_at(0, ahead)));
  return worst <= kMeasureTolerance * c.size * c.size;
}

Nearest nearest_by_distance(const Codes& c) {
  const auto gap_N = (c.codes_ND.slice(0, 1) - c.codes_ND[0]).norm(2, -1);
  const int64_t at = gap_N.argmin().item<int64_t>();
  return {gap_N[at].item<double>(), 0, at + 1, c.count(), true};
}

/// All pairs, a block of rows at a time.
Nearest nearest_of_all(const Codes& c) {
  constexpr int64_t kRows = 256;
  const int64_t n = std::min(c.count(), kAllPairs);
  const auto codes_ND = c.codes_ND.narrow(0, 0, n);
  Nearest best{std::numeric_limits<double>::infinity(), 0, 0, n, false};
  for (int64_t begin = 0; begin < n; begin += kRows) {
    const int64_t rows = std::min(kRows, n - begin);
    auto gap_RN = at::cdist(codes_ND.narrow(0, begin, rows), codes_ND, 2.0, /*compute_mode=*/2);
    gap_RN = gap_RN + at::full_like(gap_RN, std::numeric_limits<double>::max()).tril(begin);  // each pair once
    const int64_t at = gap_RN.argmin().item<int64_t>();
    const double gap = gap_RN.view({-1})[at].item<double>();
    if (gap < best.gap) best.gap = gap, best.first = begin + at / n, best.second = at % n;
  }
  return best;
}

PositionClaim codes_unique(const Codes& c) {
  PositionClaim claim{"codes_unique", "no two positions have the same code", {}, {}, {}};
  if (c.count() < 2) return claim;
  const Nearest found = depends_on_distance(c) ? nearest_by_distance(c) : nearest_of_all(c);
  claim.value = found.gap / c.size;
  claim.holds = *claim.value > kSame;
  claim.detail = "smallest gap between any two codes, as a share of a code's size, " + range_words(found.compared) +
                 ": " + format_grouped(found.first) + " and " + format_grouped(found.second) +
                 (found.by_distance ? " (gaps depend on distance alone)" : "");
  return claim;
}

/// Solves A X = B for a symmetric positive definite A by Cholesky's method, in place of LAPACK, which not every
/// LibTorch has. @returns false where A is singular. Row-major, n x n and n x columns.
bool solve_symmetric(std::vector<double>& a, std::vector<double>& b, int64_t n, int64_t columns) {
  const auto at = [n](int64_t i, int64_t j) { return size_t(i * n + j); };
  double largest = 0;
  for (int64_t i = 0; i < n; ++i) largest = std::max(largest, a[at(i, i)]);
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = j; i < n; ++i) {
      double sum = a[at(i, j)];
      for (int64_t k = 0; k < j; ++k) sum -= a[at(i, k)] * a[at(j, k)];
      if (i == j && sum <= 1e-13 * largest) return false;
      a[at(i, j)] = i == j ? std::sqrt(sum) : sum / a[at(j, j)];
    }
  }
  const auto row = [columns](int64_t i, int64_t c) { return size_t(i * columns + c); };
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = 0; k < i; ++k)
      for (int64_t c = 0; c < columns; ++c) b[row(i, c)] -= a[at(i, k)] * b[row(k, c)];
    for (int64_t c = 0; c < columns; ++c) b[row(i, c)] /= a[at(i, i)];
  }
  for (int64_t i = n - 1; i >= 0; --i) {
    for (int64_t k = i + 1; k < n; ++k)
      for (int64_t c = 0; c < columns; ++c) b[row(i, c)] -= a[at(k, i)] * b[row(k, c)];
    for (int64_t c = 0; c < columns; ++c) b[row(i, c)] /= a[at(i, i)];
  }
  return true;
}

std::vector<double> flat(const at::Tensor& x) {
  const auto y = x.contiguous();
  return {y.data_ptr<double>(), y.data_ptr<double>() + y.numel()};
}

/// The map M of least squares with P M = Q, evaluated on positions that it was not fitted to. Infinite when singular.
double shift_misfit(const ModelShape& shape, const MakeEncoding& make, const std::vector<int64_t>& fitted,
                    const std::vector<int64_t>& held_out, int64_t shift) {
  const auto codes = [&](const std::vector<int64_t>& at, int64_t ahead) {
    return codes_at(shape, make, at::tensor(at, at::kLong).unsqueeze(0) + ahead);
  };
  const auto p = codes(fitted, 0).codes_ND, q = codes(fitted, shift).codes_ND;
  auto gram = flat(at::matmul(p.t(), p)), right = flat(at::matmul(p.t(), q));
  const int64_t width = p.size(1);
  if (!solve_symmetric(gram, right, width, width)) return std::numeric_limits<double>::infinity();
  const auto map_DD = at::tensor(right, at::kDouble).view({width, width});
  const Codes after = codes(held_out, shift);
  const auto miss = (at::matmul(codes(held_out, 0).codes_ND, map_DD) - after.codes_ND).norm(2, -1);
  return miss.max().item<double>() / after.size;
}

/// Positions are drawn over a range that the slowest sinusoid passes through many times: on a short one all slow
/// channels look alike, and the fit would be about rounding.
PositionClaim shift_is_linear(const ModelShape& shape, const MakeEncoding& make, std::optional<int64_t> bound) {
  PositionClaim claim{"shift_is_linear", "PE(pos + k) = M(k) PE(pos), with one matrix for all positions", {}, {}, {}};
  constexpr int64_t kLargestShift = 17;
  const int64_t width = shape.width, range = bound.value_or(int64_t{1} << 22) - kLargestShift;
  if (width > kWidest) {
    claim.detail = "not measured: codes wider than " + std::to_string(kWidest);
    return claim;
  }
  if (range < 2 * width) {
    claim.detail = "cannot be told: fewer positions than twice the width, which some matrix always fits";
    return claim;
  }
  const int64_t each = std::min(4 * width, range * 3 / 4);
  Rng rng(23);
  auto drawn = rng.distinct(each + std::min(width, range - each), range);
  const std::vector<int64_t> fitted(drawn.begin(), drawn.begin() + each), held_out(drawn.begin() + each, drawn.end());
  double worst = 0;
  for (const int64_t shift : {int64_t{1}, int64_t{4}, kLargestShift})
    worst = std::max(worst, shift_misfit(shape, make, fitted, held_out, shift));
  claim.holds = worst <= kMisfit;
  if (std::isfinite(worst)) claim.value = worst;
  claim.detail = "largest misfit for k = 1, 4, 17 at positions that M was not fitted to, as a share of a code's size";
  return claim;
}

}  // namespace

std::vector<PositionClaim> input_claims(const ModelShape& shape, bool touches, const MakeEncoding& make) {
  std::vector<PositionClaim> out = {neighbours_distinct({}), codes_unique({}), {}};
  if (!touches) {
    out[2] = {"shift_is_linear", "PE(pos + k) = M(k) PE(pos), with one matrix for all positions", {}, {}, {}};
    for (auto& claim : out) claim.detail = "no code is added to the input";
    return out;
  }
  const auto bound = make()->max_positions();
  const Codes codes = codes_at(shape, make, measure_positions(0, std::min(bound.value_or(kFar), kFar)));
  return {neighbours_distinct(codes), codes_unique(codes), shift_is_linear(shape, make, bound)};
}

}  // namespace lw
