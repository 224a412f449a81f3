// Which floating type position arithmetic is done in.
#pragma once
#include <torch/types.h>

namespace lw {

/// float64 for float64 tensors, float32 for all others: positions are never rounded to half precision.
inline torch::ScalarType wide_type(const torch::Tensor& x) {
  return x.scalar_type() == torch::kFloat64 ? torch::kFloat64 : torch::kFloat32;
}

}  // namespace lw
