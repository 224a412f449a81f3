// Attention by LibTorch's fused kernel, which holds no logits, where its answer is the same: plain logits, and masks
// that it has.
#pragma once
#include <optional>

#include "harness/model/attention.h"

namespace lw {

enum class FusedMask { kNone, kCausal, kWindow };

/// What the kernel would have to mask; nullopt where it cannot stand in: a scheme that adjusts logits or outputs, a
/// softcap, padding, a mask of another form, gradients (training sums in the order it always did), or LibTorch 2.0
/// and before.
std::optional<FusedMask> fused_mask(const PositionEncoding& encoding, const AttentionInput& in, const Site& at);

/// Queries and keys as the scheme's rotations gave them. [B, H, Q, E], of the type of q_BHQE.
at::Tensor attend_fused(const at::Tensor& q_BHQE, const at::Tensor& k_BHKE, const at::Tensor& v_BHKE, FusedMask mask,
                        int64_t window);

}  // namespace lw
