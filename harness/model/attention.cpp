#include "harness/model/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "encodings/parts/precision.h"
#include "harness/base/error.h"
#include "harness/model/fused_attention.h"
#include "harness/model/key_order.h"
#include "harness/model/tiles.h"

namespace lw {
namespace {

/// True for pairs that the mask hides: [B, 1, Q, K]. A padding query sees padding, so that its softmax, which is never
/// used, has something to sum over.
at::Tensor hidden_keys(const Site& at, bool causal, int64_t window) {
  const int mask = int(2 * window) + (causal ? 1 : 0);
  return at.once({nullptr, mask}, at.query_pos_BQ, at.key_pos_BK, [&] {
    const auto key_B1K = at.key_pos_BK.unsqueeze(-2), query_BQ1 = at.query_pos_BQ.unsqueeze(-1);
    auto hidden_BQK = (key_B1K <= kPadding).logical_and(query_BQ1 > kPadding);
    if (causal) hidden_BQK = hidden_BQK.logical_or(key_B1K > query_BQ1);
    if (window > 0) hidden_BQK = hidden_BQK.logical_or((query_BQ1 - key_B1K).abs() >= window);
    return hidden_BQK.unsqueeze(1);
  });
}

/// Minus infinity where `hidden`; in place where nobody needs the logits any more.
at::Tensor masked(at::Tensor logits_BHQK, const at::Tensor& hidden_B1QK) {
  constexpr float kMasked = -std::numeric_limits<float>::infinity();
  if (at::GradMode::is_enabled() || hidden_B1QK.size(0) > logits_BHQK.size(0) || !logits_BHQK.is_contiguous())
    return logits_BHQK.masked_fill(hidden_B1QK, kMasked);
  return logits_BHQK.masked_fill_(hidden_B1QK, kMasked);
}

bool has_padding(const Site& at) { return (at.key_pos_BK <= kPadding).any().item<bool>(); }

/// One tile of queries against the keys of its site. Logits, weights and sums are formed in wide_type.
/// @param k_BHKE, v_BHKE in wide_type.
at::Tensor attend_tile(PositionEncoding& encoding, const at::Tensor& q_raw, const at::Tensor& k_BHKE,
                       const at::Tensor& v_BHKE, const Site& at, const AttentionInput& in) {
  const double scale = 1.0 / std::sqrt(double(q_raw.size(-1)));
  const auto q_BHQE = encoding.rotate_query(q_raw, at).to(k_BHKE.scalar_type());
  auto logits_BHQK = at::matmul(q_BHQE * scale, k_BHKE.transpose(-1, -2));
  logits_BHQK = encoding.adjust_logits(logits_BHQK, q_BHQE, k_BHKE, at);
  if (in.softcap > 0) logits_BHQK = (logits_BHQK / in.softcap).tanh() * in.softcap;
  if (at.query_pos_BQ.size(1) > 0 && (in.causal || in.window > 0 || has_padding(at)))
    logits_BHQK = masked(logits_BHQK, hidden_keys(at, in.causal, in.window));
  const auto weights_BHQK = logits_BHQK.softmax(-1);
  logits_BHQK.reset();  // as large as the weights, and not needed with them
  const auto out_BHQE = encoding.adjust_output(at::matmul(weights_BHQK, v_BHKE), weights_BHQK, at);
  return out_BHQE.to(in.v_BHKE.scalar_type());
}

/// Queries `tile` by `tile`.
at::Tensor attend_tiles(PositionEncoding& encoding, const AttentionInput& in, const at::Tensor& k_BHKE,
                        const at::Tensor& v_BHKE, const at::Tensor& key_pos_BK, int64_t tile) {
  // Keys after a tile's last query are hidden from the whole tile. They may be left out where nothing else depends on
  // them, as a key cache assumes too. Training sums over all keys, so that old seeds give the same weights.
  const bool narrows = in.causal && !at::GradMode::is_enabled() && encoding.key_cache_of(in.layer) != KeyCache::kNone;
  const KeyOrder order(in.query_pos_BQ, key_pos_BK);
  const auto attended = [&](int64_t begin, int64_t n) {
    const int64_t keys = narrows ? order.seen_until(begin, n) : key_pos_BK.size(1);
    // No memo: every layer narrows its own tiles, and keeping their tables would undo the saving.
    const Site at{in.query_pos_BQ.narrow(1, begin, n), key_pos_BK.narrow(1, 0, keys), in.layer, nullptr};
    return attend_tile(encoding, in.q_BHQE.narrow(2, begin, n), k_BHKE.narrow(2, 0, keys), v_BHKE.narrow(2, 0, keys),
                       at, in);
  };
  return joined_tiles({in.q_BHQE.size(0), in.q_BHQE.size(1), in.q_BHQE.size(2), in.v_BHKE.size(3)}, tile,
                      in.v_BHKE.options(), attended);
}

/// Appends new keys and values to the cached ones, and keeps the result in the cache.
LayerCache extend(LayerCache* cache, LayerCache seen) {
  if (cache == nullptr) return seen;
  seen.cross_k_BHSE = cache->cross_k_BHSE;
  seen.cross_v_BHSE = cache->cross_v_BHSE;
  if (cache->k_BHKE.defined()) {
    seen.k_BHKE = at::cat({cache->k_BHKE, seen.k_BHKE}, 2);
    seen.v_BHKE = at::cat({cache->v_BHKE, seen.v_BHKE}, 2);
    seen.pos_BK = at::cat({cache->pos_BK, seen.pos_BK}, 1);
  }
  *cache = seen;
  return seen;
}

}  // namespace

at::Tensor attend(PositionEncoding& encoding, const AttentionInput& in, PassMemo* memo, LayerCache* cache,
                  int64_t tile) {
  LW_CHECK(cache == nullptr || encoding.key_cache() != KeyCache::kNone, "this encoding cannot be cached");
  const KeyCache policy = encoding.key_cache_of(in.layer);

  LayerCache seen{in.k_BHKE, in.v_BHKE, in.key_pos_BK, {}, {}};
  if (policy != KeyCache::kRaw)
    seen.k_BHKE = encoding.rotate_key(seen.k_BHKE, Site{in.key_pos_BK, in.key_pos_BK, in.layer, memo});
  seen = extend(cache, seen);
  if (policy == KeyCache::kRaw)
    seen.k_BHKE = encoding.rotate_key(seen.k_BHKE, Site{in.query_pos_BQ, seen.pos_BK, in.layer, memo});

  const Site all{in.query_pos_BQ, seen.pos_BK, in.layer, memo};
  if (const auto mask = fused_mask(encoding, in, all))
    return attend_fused(encoding.rotate_query(in.q_BHQE, all), seen.k_BHKE, seen.v_BHKE, *mask, in.window)
        .to(in.v_BHKE.scalar_type());
  const auto wide = wide_type(seen.k_BHKE);
  const auto k_BHKE = seen.k_BHKE.to(wide), v_BHKE = seen.v_BHKE.to(wide);
  if (tile <= 0 || tile >= in.q_BHQE.size(2)) return attend_tile(encoding, in.q_BHQE, k_BHKE, v_BHKE, all, in);
  return attend_tiles(encoding, in, k_BHKE, v_BHKE, seen.pos_BK, tile);
}

int64_t training_tile(int64_t rows, int64_t heads, int64_t length) {
  constexpr int64_t kLogitBudget = 64LL << 20;  // in elements
  return std::max<int64_t>(1, kLogitBudget / std::max<int64_t>(1, rows * heads * length));
}

int64_t evaluation_tile(int64_t rows, int64_t heads, int64_t length) {
  constexpr int64_t kFastest = 128;  // measured on one core at 512 to 8192 tokens
  return std::min(kFastest, training_tile(rows, heads, length));
}

}  // namespace lw
