// Attention with every position hook, full or tiled, cached or not: one path.
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
  at::Tensor query_pos_BQ, key_pos_BK;  // int64; B may be 1; one tensor when every token asks
  int64_t layer = 0;
  bool causal = true;    // masks keys whose position exceeds the query's; padding is masked always
  int64_t window = 0;    // masks keys whose position is this far off or farther; 0: none
  double softcap = 0;    // logits become c tanh(logit / c), position bias included; 0: not
  bool may_fuse = true;  // in a kernel that holds no logits, where the scheme and the mask allow
};

/// @param cache  read and extended when not null; the encoding's key_cache() must allow it.
/// @param tile   queries per step: bounds the logits held at once to [B, H, tile, K]. 0: all.
/// @returns [B, H, Q, E], heads not yet joined.
at::Tensor attend(PositionEncoding& encoding, const AttentionInput& in, PassMemo* memo = nullptr,
                  LayerCache* cache = nullptr, int64_t tile = 0);

/// Queries per step, so that logits of at most 256 MB (float32) are held at once. @param rows sequences in a batch.
int64_t training_tile(int64_t rows, int64_t heads, int64_t length);
/// The same when judging, where small tiles leave out the keys after them and stay in cache.
int64_t judging_tile(int64_t rows, int64_t heads, int64_t length);

}  // namespace lw
