#include "reports/statistics/growth.h"

#include <cmath>

namespace lw {

std::optional<double> growth_exponent(std::span<const std::pair<double, double>> points) {
  double n = 0, sum_x = 0, sum_y = 0;
  const auto counts = [](const auto& p) { return p.first > 0 && p.second > 0; };
  for (const auto& p : points) {
    if (!counts(p)) continue;
    ++n;
    sum_x += std::log(p.first);
    sum_y += std::log(p.second);
  }
  if (n < 2) return std::nullopt;
  double spread = 0, together = 0;
  for (const auto& p : points) {
    if (!counts(p)) continue;
    const double x = std::log(p.first) - sum_x / n;
    spread += x * x;
    together += x * (std::log(p.second) - sum_y / n);
  }
  if (spread <= 0) return std::nullopt;
  return together / spread;
}

}  // namespace lw
