#include "encodings/rope_scaling/frequencies.h"

#include <algorithm>
#include <cmath>

namespace lw {

RopeBasis with_stretched_base(const RopeBasis& basis, double stretch) {
  const auto d = double(basis.rotary_dim);
  RopeBasis out = basis;
  out.rope_theta *= std::pow(stretch, d / (d - 2));
  for (size_t i = 0; i < out.scaled_inv_freq.size(); ++i)
    out.scaled_inv_freq[i] *= std::pow(stretch, -2.0 * double(i) / (d - 2));
  return out;
}

double pair_of_rotations(const RopeBasis& basis, int64_t original_length, double rotations) {
  return double(basis.rotary_dim) * std::log(double(original_length) / (2 * M_PI * rotations)) /
         (2 * std::log(basis.rope_theta));
}

double PairRamp::at(size_t pair) const { return std::clamp((double(pair) - low) / (high - low), 0.0, 1.0); }

PairRamp ramp_over_pairs(const RopeBasis& basis, int64_t original_length, const RotationRange& range) {
  double low = pair_of_rotations(basis, original_length, range.beta_fast);
  double high = pair_of_rotations(basis, original_length, range.beta_slow);
  if (range.truncate) low = std::floor(low), high = std::ceil(high);
  const auto last = double(basis.rotary_dim - 1);
  low = std::clamp(low, 0.0, last);
  high = std::clamp(high, 0.0, last);
  return {low, std::max(high, low + 0.001)};
}

std::vector<double> interpolate_slow_pairs(const RopeBasis& basis, const PairRamp& ramp, double factor) {
  std::vector<double> out = basis.inv_freq();
  for (size_t i = 0; i < out.size(); ++i) {
    const double slow = ramp.at(i);
    out[i] = out[i] / factor * slow + out[i] * (1 - slow);
  }
  return out;
}

std::vector<double> part_ntk_frequencies(const RopeBasis& basis, int64_t original_length, double factor) {
  const auto plain = basis.inv_freq(), stretched = with_stretched_base(basis, factor).inv_freq();
  // The authors' constants, in rotations, "found experimentally for LLaMA".
  const PairRamp to_linear = ramp_over_pairs(basis, original_length, {1.25, 0.75, true});
  const PairRamp from_plain = ramp_over_pairs(basis, original_length, {16, 2, true});
  std::vector<double> out;
  for (size_t i = 0; i < plain.size(); ++i) {
    const double linear = to_linear.at(i), scaled = from_plain.at(i);
    out.push_back((plain[i] / factor * linear + stretched[i] * (1 - linear)) * scaled + plain[i] * (1 - scaled));
  }
  return out;
}

double yarn_mscale(double factor, double weight) { return factor <= 1 ? 1.0 : 0.1 * weight * std::log(factor) + 1.0; }

double longrope_mscale(double factor, int64_t original_length) {
  return factor <= 1 ? 1.0 : std::sqrt(1.0 + std::log(factor) / std::log(double(original_length)));
}

}  // namespace lw
