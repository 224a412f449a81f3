// Attention by LibTorch's fused kernel, which holds no logits. It is used where the result is the same: the scheme
// leaves the logits alone, and the kernel has the mask.
#pragma once
#include <optional>

#include "harness/model/attention.h"

namespace lw {

enum class FusedMask { kNone, kCausal, kWindow };

/// The mask that the kernel needs; nullopt where it cannot be used: a scheme that adjusts logits or outputs, a softcap,
/// padding, any other mask, gradients (so that old seeds train to the same weights), or LibTorch 2.0 and older.
[[nodiscard]] std::optional<FusedMask> fused_mask(const PositionEncoding& encoding, const AttentionInput& in,
                                                  const Site& at);

/// @param q_BHQE, k_BHKE after the rotations of the scheme. [B, H, Q, E], in the type of q_BHQE.
[[nodiscard]] at::Tensor attend_fused(const at::Tensor& q_BHQE, const at::Tensor& k_BHKE, const at::Tensor& v_BHKE,
                                      FusedMask mask, int64_t window);

}  // namespace lw
