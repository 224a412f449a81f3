#include "reports/statistics/multiplicity.h"

#include <algorithm>
#include <numeric>

namespace lw {
namespace {

std::vector<size_t> ascending(std::span<const double> p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t i, size_t j) { return p[i] < p[j]; });
  return order;
}

}  // namespace

std::vector<double> holm(std::span<const double> p) {
  const auto order = ascending(p);
  std::vector<double> adjusted(p.size());
  double highest = 0;
  for (size_t rank = 0; rank < order.size(); ++rank) {
    highest = std::max(highest, static_cast<double>(p.size() - rank) * p[order[rank]]);
    adjusted[order[rank]] = std::min(1.0, highest);
  }
  return adjusted;
}

std::vector<double> benjamini_hochberg(std::span<const double> p) {
  const auto order = ascending(p);
  std::vector<double> adjusted(p.size());
  double lowest = 1;
  for (size_t rank = order.size(); rank-- > 0;) {
    const double ratio = static_cast<double>(p.size()) / static_cast<double>(rank + 1);
    lowest = std::min(lowest, ratio * p[order[rank]]);
    adjusted[order[rank]] = lowest;
  }
  return adjusted;
}

}  // namespace lw
