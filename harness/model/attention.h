// Attention with every position hook: one path for full and tiled, cached and uncached calls.
#pragma once
#include "encodings/position_encoding.h"

namespace lw {

/// Keys and values of one layer so far; undefined tensors at the start.
struct LayerCache {
  at::Tensor k_BHKE, v_BHKE, pos_BK;
  at::Tensor cross_k_BHSE, cross_v_BHSE;  // of the encoder's output, where there is one
};

struct AttentionInput {
  at::Tensor q_BHQE, k_BHKE, v_BHKE;    // projected, before any position hook; H alike
  at::Tensor query_pos_BQ, key_pos_BK;  // int64; B may be 1; the same tensor when every token is a query
  int64_t layer = 0;
  bool causal = true;    // masks keys whose position exceeds the query's; padding is always masked
  int64_t window = 0;    // masks keys at this distance or farther; 0: none
  double softcap = 0;    // logits become c tanh(logit / c), position bias included; 0: no cap
  bool may_fuse = true;  // allows a kernel that holds no logits, where the scheme and the mask permit it
};

/// @param cache  read and extended when not null; the encoding's key_cache() must allow it.
/// @param tile   queries per step: bounds the logits held at once to [B, H, tile, K]. 0: all.
/// @returns [B, H, Q, E], heads not yet joined.
at::Tensor attend(PositionEncoding& encoding, const AttentionInput& in, PassMemo* memo = nullptr,
                  LayerCache* cache = nullptr, int64_t tile = 0);

/// Queries per step, so that at most 256 MB of logits (float32) are held at once. @param rows sequences in a batch.
[[nodiscard]] int64_t training_tile(int64_t rows, int64_t heads, int64_t length);
/// The same for evaluation, where small tiles skip the keys after them and fit the processor's cache.
[[nodiscard]] int64_t evaluation_tile(int64_t rows, int64_t heads, int64_t length);

}  // namespace lw
