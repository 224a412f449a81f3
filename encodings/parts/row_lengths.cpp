#include "encodings/parts/row_lengths.h"

#include <algorithm>

namespace lw {

std::vector<int64_t> row_lengths(const at::Tensor& key_pos_BK) {
  const auto last_B = key_pos_BK.amax(-1).to(at::kCPU);
  std::vector<int64_t> out;
  for (int64_t row = 0; row < last_B.size(0); ++row) out.push_back(last_B[row].item<int64_t>() + 1);
  return out;
}

at::Tensor row_factors(const at::Tensor& key_pos_BK, at::ScalarType type,
                       const std::function<double(int64_t)>& factor) {
  std::vector<double> factors;
  for (const int64_t length : row_lengths(key_pos_BK)) factors.push_back(factor(length));
  if (std::all_of(factors.begin(), factors.end(), [](double f) { return f == 1.0; })) return {};
  return at::tensor(factors, at::kDouble).to(key_pos_BK.device(), type).view({-1, 1, 1, 1});
}

}  // namespace lw
