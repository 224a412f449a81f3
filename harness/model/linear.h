// A linear layer, and the draw of its initial weights.
#pragma once
#include "encodings/module.h"
#include "harness/base/rng.h"

namespace lw {

/// y = x W^T + b with W [out, in], in the type of x. float16 and bfloat16 are multiplied in float32 on the CPU and
/// rounded once, as the units of processors that have them do: without such units LibTorch's own products are many
/// times slower.
class Linear : public Module {
 public:
  Linear(int64_t in, int64_t out, bool bias);
  at::Tensor forward(const at::Tensor& x) const;
  void reset_parameters(Rng& rng, double std);

 private:
  at::Tensor weight_, bias_;
};

/// The same with given weights.
[[nodiscard]] at::Tensor linear_of(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// Normal values in place, independent of LibTorch's generators, whose streams differ between versions.
void fill_normal(at::Tensor parameter, Rng& rng, double std);

}  // namespace lw
