// Tensors written out in tests.
#pragma once
#include <initializer_list>
#include <vector>

#include "encodings/tensor.h"

namespace lw {

/// int64 [rows, columns].
inline at::Tensor row_tensor(std::initializer_list<std::initializer_list<int64_t>> values) {
  std::vector<int64_t> flat;
  for (const auto& row : values) flat.insert(flat.end(), row);
  return at::tensor(flat, at::kLong).view({int64_t(values.size()), -1});
}

}  // namespace lw
