#include "encodings/parts/parameters.h"

#include <functional>
#include <vector>

#include "harness/base/rng.h"

namespace lw {

namespace {

void fill(at::Tensor& parameter, const std::function<double()>& next) {
  std::vector<double> values(size_t(parameter.numel()));
  for (double& value : values) value = next();
  const at::NoGradGuard no_grad;
  parameter.copy_(at::tensor(values, at::kDouble).view(parameter.sizes()));
}

}  // namespace

void draw_normal(at::Tensor& parameter, double standard_deviation, Rng& rng) {
  fill(parameter, [&] { return standard_deviation * rng.normal(); });
}

void draw_uniform(at::Tensor& parameter, double low, double high, Rng& rng) {
  fill(parameter, [&] { return low + (high - low) * rng.uniform(); });
}

}  // namespace lw
