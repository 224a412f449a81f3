#include "encodings/parameters.h"

#include <vector>

#include "harness/base/rng.h"

namespace lw {

void draw_normal(torch::Tensor& parameter, double standard_deviation, Rng& rng) {
  std::vector<double> values(static_cast<size_t>(parameter.numel()));
  for (double& value : values) value = standard_deviation * rng.normal();
  const torch::NoGradGuard no_grad;
  parameter.copy_(torch::tensor(values, torch::kFloat64).view(parameter.sizes()));
}

}  // namespace lw
