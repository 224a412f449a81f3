// How far a score holds a bar: proven, by its point value, and not refuted.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace lw {

/// A score at one length with its one-sided 95 % bounds.
struct ScoreAtLength {
  int64_t length = 0;
  double low = 0, value = 0, high = 0;
};

/// The longest length such that it and every shorter tested length hold the bar: by the lower bound, by the
/// value, by the upper bound. Absent when the shortest already fails.
struct Reach {
  std::optional<int64_t> proven, point, not_refuted;
};

/// @param scores ascending in length, without gaps in what was tested.
Reach reach(std::span<const ScoreAtLength> scores, double bar);

/// "< 16" when even the shortest fails, ">= 256" when the longest holds (right-censored), else the length.
std::string reach_text(const std::optional<int64_t>& reached, int64_t shortest, int64_t longest);

/// Where the value first falls through the bar, interpolated in log2 length. Absent when it never does, or
/// starts below it.
std::optional<double> log2_crossing(std::span<const ScoreAtLength> scores, double bar);

}  // namespace lw
