// One number for a curve over length, on the scale on which lengths are chosen.
#pragma once
#include <cstdint>
#include <optional>
#include <span>

namespace lw {

struct CurvePoint {
  int64_t length = 0;  // > 0
  double value = 0;
};

/// Trapezoid area over log2 length, divided by its width: a mean in the unit of the value. One point gives that
/// value; none gives nothing. @param points ascending in length.
std::optional<double> log2_area(std::span<const CurvePoint> points);

/// The same inside (length <= train_length) and beyond, each by its own points: never pooled.
struct SplitArea {
  std::optional<double> in_length, beyond;
};
SplitArea split_area(std::span<const CurvePoint> points, int64_t train_length);

}  // namespace lw
