// The length of each row of a batch, for methods whose numbers change with it: a long row must not change its
// neighbours.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "encodings/tensor.h"

namespace lw {

/// Tokens in each row: the position of its last key + 1. @param key_pos_BK int64.
[[nodiscard]] std::vector<int64_t> row_lengths(const at::Tensor& key_pos_BK);

/// `factor(length)` for each row, [B, 1, 1, 1], in `type` and on the device of the positions; undefined where every
/// factor is 1, so that nothing has to be multiplied.
[[nodiscard]] at::Tensor row_factors(const at::Tensor& key_pos_BK, at::ScalarType type,
                                     const std::function<double(int64_t length)>& factor);

}  // namespace lw
