// Rotates pairs of channels by position times frequency: the arithmetic that every rotary scheme shares.
#pragma once
#include <span>
#include <vector>

#include "encodings/rope_scaling/rope_scaling.h"
#include "encodings/tensor.h"

namespace lw {

/// Which channels form pair i of F pairs.
enum class RotaryLayout {
  kHalf,         // i and i + F (GPT-NeoX, Hugging Face Llama)
  kInterleaved,  // 2i and 2i + 1 (GPT-J, Meta's Llama)
};

/// Cosines and sines, times the attention factor: [2, B, T, F]. Angles are formed in float64 and only the
/// results are cast, since a float32 angle is already 1.5e-3 off at position 131071.
/// @param pos_BT int64 or float64, B may be 1.
/// @param tables one for all rows, or one per row.
/// @param type float32 or float64.
[[nodiscard]] at::Tensor rotation_table(const at::Tensor& pos_BT, std::span<const RopeTable> tables,
                                        at::ScalarType type);

/// Pair (x, y) becomes (x cos - y sin, x sin + y cos). Channels from 2F on are left as they are. Tensors of
/// half precision are rotated in the table's type and cast back.
[[nodiscard]] at::Tensor rotate(const at::Tensor& x_BHTE, const at::Tensor& table_2BTF, RotaryLayout layout);

}  // namespace lw
