// Attention outputs that are made a tile of queries at a time.
#pragma once
#include <cstdint>
#include <functional>

#include "encodings/tensor.h"

namespace lw {

/// attended(begin, count) for queries 0, tile, 2 tile, ..., as one tensor of `sizes_BHQE`. Without gradients that
/// tensor is made beforehand, and tiles are written into it from the last to the first. The last has the most keys, so
/// all others fit into what it leaves free. In the other order each tile's logits are larger than every gap that those
/// before it left, and memory grows with the square of the length.
[[nodiscard]] at::Tensor joined_tiles(at::IntArrayRef sizes_BHQE, int64_t tile, const at::TensorOptions& options,
                                      const std::function<at::Tensor(int64_t begin, int64_t count)>& attended);

}  // namespace lw
