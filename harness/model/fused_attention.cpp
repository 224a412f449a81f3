#include "harness/model/fused_attention.h"

#include <algorithm>

#include "harness/base/error.h"
#include "harness/model/key_order.h"
#include "harness/model/tiles.h"

#if LW_TORCH_VERSION >= 20100
#include <ATen/ops/scaled_dot_product_attention.h>
#endif

namespace lw {
namespace {

#if LW_TORCH_VERSION >= 20100
constexpr bool kHasKernel = true;

at::Tensor kernel(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, bool causal,
                  const std::optional<at::Tensor>& visible = std::nullopt) {
  return at::scaled_dot_product_attention(q, k, v, visible, /*dropout_p=*/0.0, causal);
}
#else
constexpr bool kHasKernel = false;

at::Tensor kernel(const at::Tensor& q, const at::Tensor&, const at::Tensor&, bool,
                  const std::optional<at::Tensor>& = std::nullopt) {
  LW_CHECK(false, "no fused kernel in this LibTorch");
  return q;
}
#endif

/// Tile by tile against the keys that its window reaches.
at::Tensor in_window(const at::Tensor& q_BHQE, const at::Tensor& k_BHKE, const at::Tensor& v_BHKE, int64_t window) {
  constexpr int64_t kTile = 128;
  at::Tensor visible_QK;
  return joined_tiles(q_BHQE.sizes(), kTile, q_BHQE.options(), [&](int64_t begin, int64_t n) {
    const int64_t first = std::max<int64_t>(0, begin - window + 1), keys = begin + n - first;
    // Tiles that no longer reach the start see the same pattern.
    if (!visible_QK.defined() || first == 0 || visible_QK.size(0) != n || visible_QK.size(1) != keys) {
      const auto integers = at::TensorOptions(at::kLong).device(q_BHQE.device());
      const auto ago_QK =
          at::arange(begin, begin + n, integers).unsqueeze(1) - at::arange(first, first + keys, integers).unsqueeze(0);
      visible_QK = (ago_QK >= 0).logical_and(ago_QK < window);
    }
    return kernel(q_BHQE.narrow(2, begin, n), k_BHKE.narrow(2, first, keys), v_BHKE.narrow(2, first, keys),
                  /*causal=*/false, visible_QK);
  });
}

}  // namespace

std::optional<FusedMask> fused_mask(const PositionEncoding& encoding, const AttentionInput& in, const Site& at) {
  if (!kHasKernel || !in.may_fuse || at::GradMode::is_enabled() || in.softcap > 0 || encoding.touches_logits(in.layer))
    return std::nullopt;
  const KeyOrder order(at.query_pos_BQ, at.key_pos_BK);
  if (!in.causal) return in.window > 0 || order.padded() ? std::nullopt : std::optional(FusedMask::kNone);
  if (in.window > 0 && in.window < at.key_pos_BK.size(1))
    return order.consecutive() ? std::optional(FusedMask::kWindow) : std::nullopt;
  if (in.window > 0 && !order.consecutive()) return std::nullopt;
  if (order.in_order()) return FusedMask::kCausal;
  return order.all_seen() ? std::optional(FusedMask::kNone) : std::nullopt;
}

at::Tensor attend_fused(const at::Tensor& q_BHQE, const at::Tensor& k_BHKE, const at::Tensor& v_BHKE, FusedMask mask,
                        int64_t window) {
  const auto type = q_BHQE.scalar_type();
  const auto k = k_BHKE.to(type), v = v_BHKE.to(type);
  if (mask == FusedMask::kNone) return kernel(q_BHQE, k, v, /*causal=*/false);
  const int64_t queries = q_BHQE.size(2);  // keys after the last query are seen by none
  if (mask == FusedMask::kWindow) return in_window(q_BHQE, k, v, window);
  return kernel(q_BHQE, k.narrow(2, 0, queries), v.narrow(2, 0, queries), /*causal=*/true);
}

}  // namespace lw
