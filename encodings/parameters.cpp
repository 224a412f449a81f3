#include "encodings/parameters.h"

#include <functional>
#include <vector>

#include "harness/base/rng.h"

namespace lw {

namespace {

void fill(torch::Tensor& parameter, const std::function<double()>& next) {
  std::vector<double> values(static_cast<size_t>(parameter.numel()));
  for (double& value : values) value = next();
  const torch::NoGradGuard no_grad;
  parameter.copy_(torch::tensor(values, torch::kFloat64).view(parameter.sizes()));
}

}  // namespace

void draw_normal(torch::Tensor& parameter, double standard_deviation, Rng& rng) {
  fill(parameter, [&] { return standard_deviation * rng.normal(); });
}

void draw_uniform(torch::Tensor& parameter, double low, double high, Rng& rng) {
  fill(parameter, [&] { return low + (high - low) * rng.uniform(); });
}

}  // namespace lw
