// A linear layer, and how weights that multiply are drawn.
#pragma once
#include <torch/nn/module.h>

#include "harness/base/rng.h"

namespace lw {

/// y = x W^T + b with W [out, in], in the type of x. float16 is multiplied in float32 on the CPU, where LibTorch's
/// own product of it is a fourth as fast.
class Linear : public torch::nn::Module {
 public:
  Linear(int64_t in, int64_t out, bool bias);
  torch::Tensor forward(const torch::Tensor& x) const;
  void reset_parameters(Rng& rng, double std);

 private:
  torch::Tensor weight_, bias_;
};

/// What Linear does with any weights.
torch::Tensor linear_of(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias);

/// Normal values in place, independent of LibTorch's generators, whose streams differ between versions.
void fill_normal(torch::Tensor parameter, Rng& rng, double std);

}  // namespace lw
