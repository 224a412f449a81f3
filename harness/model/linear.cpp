#include "harness/model/linear.h"

#include <ATen/ops/linear.h>

#include "encodings/tensor.h"

namespace lw {

void fill_normal(at::Tensor parameter, Rng& rng, double std) {
  at::NoGradGuard no_grad;
  auto values = at::empty(parameter.sizes(), at::kFloat);
  float* data = values.data_ptr<float>();
  for (int64_t i = 0; i < values.numel(); ++i) data[i] = float(std * rng.normal());
  parameter.copy_(values);
}

Linear::Linear(int64_t in, int64_t out, bool bias) {
  weight_ = register_parameter("weight", at::zeros({out, in}));
  if (bias) bias_ = register_parameter("bias", at::zeros({out}));
}

at::Tensor linear_of(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  const bool narrow = x.scalar_type() == at::kHalf || x.scalar_type() == at::kBFloat16;
  const bool widened = narrow && x.device().is_cpu();
  const auto type = widened ? at::kFloat : x.scalar_type();
  const auto out = at::linear(x.to(type), weight.to(type), bias.defined() ? bias.to(type) : bias);
  return out.to(x.scalar_type());
}

at::Tensor Linear::forward(const at::Tensor& x) const { return linear_of(x, weight_, bias_); }

void Linear::reset_parameters(Rng& rng, double std) {
  fill_normal(weight_, rng, std);
  if (bias_.defined()) {
    at::NoGradGuard no_grad;
    bias_.zero_();
  }
}

}  // namespace lw
