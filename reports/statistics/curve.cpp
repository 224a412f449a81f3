#include "reports/statistics/curve.h"

#include <algorithm>
#include <cmath>

namespace lw {

std::optional<double> log2_area(std::span<const CurvePoint> points) {
  if (points.empty()) return std::nullopt;
  if (points.size() == 1) return points.front().value;
  const auto x = [&](size_t i) { return std::log2(static_cast<double>(points[i].length)); };
  double area = 0;
  for (size_t i = 1; i < points.size(); ++i) area += 0.5 * (points[i - 1].value + points[i].value) * (x(i) - x(i - 1));
  return area / (x(points.size() - 1) - x(0));
}

SplitArea split_area(std::span<const CurvePoint> points, int64_t train_length) {
  const auto border =
      std::partition_point(points.begin(), points.end(), [&](const CurvePoint& p) { return p.length <= train_length; });
  const auto inside = static_cast<size_t>(border - points.begin());
  return {log2_area(points.first(inside)), log2_area(points.subspan(inside))};
}

}  // namespace lw
