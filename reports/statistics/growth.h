// How fast a cost grows with length.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace lw {

/// The exponent p of value = c length^p, by least squares of the logarithms: 1 linear, 2 quadratic.
/// @param points length and value, both positive; others are left out. Absent for fewer than two lengths.
std::optional<double> growth_exponent(std::span<const std::pair<double, double>> points);

}  // namespace lw
