#include "harness/model/linear.h"

#include <ATen/ops/linear.h>

namespace lw {

void fill_normal(torch::Tensor parameter, Rng& rng, double std) {
  torch::NoGradGuard no_grad;
  auto values = torch::empty(parameter.sizes(), torch::kFloat32);
  float* data = values.data_ptr<float>();
  for (int64_t i = 0; i < values.numel(); ++i) data[i] = static_cast<float>(std * rng.normal());
  parameter.copy_(values);
}

Linear::Linear(int64_t in, int64_t out, bool bias) {
  weight_ = register_parameter("weight", torch::zeros({out, in}));
  if (bias) bias_ = register_parameter("bias", torch::zeros({out}));
}

torch::Tensor linear_of(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
  const bool widened = x.scalar_type() == torch::kFloat16 && x.device().is_cpu();
  const auto type = widened ? torch::kFloat32 : x.scalar_type();
  const auto out = at::linear(x.to(type), weight.to(type), bias.defined() ? bias.to(type) : bias);
  return out.to(x.scalar_type());
}

torch::Tensor Linear::forward(const torch::Tensor& x) const { return linear_of(x, weight_, bias_); }

void Linear::reset_parameters(Rng& rng, double std) {
  fill_normal(weight_, rng, std);
  if (bias_.defined()) {
    torch::NoGradGuard no_grad;
    bias_.zero_();
  }
}

}  // namespace lw
