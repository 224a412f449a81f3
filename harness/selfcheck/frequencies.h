// How far RoPE's frequencies are from a second computation.
#pragma once
#include <cstddef>
#include <span>

namespace lw {

/// Relative, in float64.
inline constexpr double kFrequencyBound = 1e-12;

/// Largest relative difference; infinite where the lists differ in length, or a frequency is not finite and above 0.
/// @param still so many of the last ones are 0 on purpose.
double frequencies_apart(std::span<const double> used, std::span<const double> straight, size_t still = 0);

/// 0 where all are finite and above 0, but for the last `still`; else infinite.
double unusable_frequencies(std::span<const double> used, size_t still = 0);

}  // namespace lw
