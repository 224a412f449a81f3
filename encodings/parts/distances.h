// Key position - query position over the pairs of one attention call: its range, and the place of each pair in it.
#pragma once
#include "encodings/position_encoding.h"
#include "encodings/tensor.h"

namespace lw {

/// From `least` to `most`, both included.
struct AheadRange {
  int64_t least = 0, most = -1;
  int64_t count() const { return most - least + 1; }
  /// int64, on the CPU: every whole number of the range.
  at::Tensor values() const { return at::arange(least, most + 1, at::kLong); }
};

/// Over all rows of the batch, padding included; empty when there are no queries or no keys. Computed once a pass.
[[nodiscard]] AheadRange ahead_range(const Site& at);

/// key position - query position: int64 [B, Q, K], B = 1 when all rows have the same positions.
[[nodiscard]] at::Tensor ahead_of_pairs(const Site& at);

/// The distinct values of key position - query position, for schemes whose logits need one vector for each.
struct AheadClasses {
  at::Tensor ahead_N;    // int64: the whole range, unless there are fewer pairs than that
  at::Tensor index_BQK;  // int64: the index of each pair's value in ahead_N
};

/// Computed once a pass. @param causal no query attends to later keys: they count as distance 0.
[[nodiscard]] AheadClasses ahead_classes(const Site& at, bool causal);

/// score_BHQN[b, h, q, index_BQK[b, q, k]]: [B, H, Q, K].
[[nodiscard]] at::Tensor pick_classes(const at::Tensor& score_BHQN, const at::Tensor& index_BQK);

}  // namespace lw
