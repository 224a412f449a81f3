// Wavelengths of rotated pairs of channels: how many tokens a full rotation takes, and which pairs never complete one.
#pragma once
#include <cstdint>
#include <vector>

#include "encodings/position_encoding.h"

namespace lw {

/// 2 pi / w for each frequency in radians per position; infinity for a pair that does not rotate.
[[nodiscard]] std::vector<double> wavelengths_of(const std::vector<double>& inv_freq);

/// The fact "wavelengths". Infinity is printed as "never".
[[nodiscard]] CardFact wavelengths_fact(const std::vector<double>& inv_freq);

/// Pairs, counted from 0, that never complete a rotation within `length` tokens: their wavelength is longer.
[[nodiscard]] std::vector<int64_t> incomplete_pairs(const std::vector<double>& wavelengths, int64_t length);

}  // namespace lw
