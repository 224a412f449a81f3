#include "encodings/rope_scaling/rope_scaling.h"

#include <cmath>

namespace lw {

std::vector<double> RopeBasis::inv_freq() const {
  if (!scaled_inv_freq.empty()) return scaled_inv_freq;
  std::vector<double> out;
  for (int64_t i = 0; i < rotary_dim / 2; ++i)
    out.push_back(std::pow(rope_theta, -2.0 * double(i) / double(rotary_dim)));
  return out;
}

std::vector<DerivedNumber> RopeScaling::derived(const RopeBasis&, int64_t) const { return {}; }

}  // namespace lw
