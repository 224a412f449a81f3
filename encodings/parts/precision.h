// The floating-point type for position arithmetic.
#pragma once
#include "encodings/tensor.h"

namespace lw {

/// float64 for float64 tensors, float32 for all others: positions are never rounded to half precision.
[[nodiscard]] inline at::ScalarType wide_type(const at::Tensor& x) {
  return x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
}

}  // namespace lw
