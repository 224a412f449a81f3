// Steps from frequencies to frequencies that several RoPE scalings share.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "encodings/rope_scaling/rope_scaling.h"

namespace lw {

/// The same basis with its base times stretch^(d / (d - 2)): the last pair slows by exactly `stretch`, the
/// first not at all (NTK-aware scaling; Peng et al. 2023, arXiv:2309.00071, section 3.1). Frequencies that an earlier
/// method gave slow by as much as plain ones would.
RopeBasis with_stretched_base(const RopeBasis& basis, double stretch);

/// The pair index, as a real number, whose pair makes `rotations` rotations over `original_length` tokens.
double pair_of_rotations(const RopeBasis& basis, int64_t original_length, double rotations);

/// Over pair indices: 0 up to `low`, 1 from `high` on, straight between.
struct PairRamp {
  double low = 0, high = 1;
  double at(size_t pair) const;
};

/// Which pairs count as fast and which as slow, in rotations over the original length.
struct RotationRange {
  double beta_fast = 32, beta_slow = 1;
  bool truncate = true;  // ends at whole pair indices
};

/// From the pair of beta_fast rotations to that of beta_slow. As in every peer both ends are limited to d - 1 and
/// not to the last pair. Deviation from Hugging Face at the edges: both are clipped to [0, d - 1] before the
/// ramp is given its least width, so that an original length below 2 pi beta_slow puts all pairs but the first
/// beyond the ramp, where Hugging Face divides by a negative width and leaves all before it.
PairRamp ramp_over_pairs(const RopeBasis& basis, int64_t original_length, const RotationRange& range);

/// Pairs before the ramp kept, those beyond it divided by `factor`, a mix of both on it: YaRN's frequencies.
std::vector<double> interpolate_slow_pairs(const RopeBasis& basis, const PairRamp& ramp, double factor);

/// Slow pairs interpolated, middle ones slowed by a larger base, fast ones kept (see part_ntk.cpp).
/// @param factor 1 or more. @param basis has two pairs or more.
std::vector<double> part_ntk_frequencies(const RopeBasis& basis, int64_t original_length, double factor);

/// YaRN's 0.1 weight ln(factor) + 1, and 1 for factors up to 1: the square root of the inverse temperature.
double yarn_mscale(double factor, double weight = 1);

/// LongRoPE's sqrt(1 + ln(factor) / ln(original_length)), and 1 for factors up to 1.
double longrope_mscale(double factor, int64_t original_length);

}  // namespace lw
