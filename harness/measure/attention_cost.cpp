#include "harness/measure/attention_cost.h"

#include <algorithm>
#include <chrono>

#include "harness/measure/memory_meter.h"
#include "harness/measure/position_measure.h"

namespace lw {

AttentionLoad::AttentionLoad(const ModelShape& shape, int64_t length, int64_t tile, bool may_fuse)
    : shape_(shape), length_(length), tile_(tile), may_fuse_(may_fuse) {
  const auto drawn = [](std::vector<int64_t> sizes, uint64_t seed) {
    return measure_draws(sizes, seed).to(at::kFloat);
  };
  // A few drawn rows are enough, and drawing is slow: content does not change what a scheme costs.
  const int64_t distinct = std::min<int64_t>(length, 64);
  const auto repeated = [&](const at::Tensor& x, int64_t axis) {
    return x.index_select(axis, at::arange(length, at::kLong) % distinct).contiguous();
  };
  x_1TD_ = repeated(drawn({1, distinct, shape.width}, 1), 1);
  q_1HTE_ = repeated(drawn({1, shape.heads, distinct, shape.head_width}, 2), 2);
  k_1HTE_ = repeated(drawn({1, shape.heads, distinct, shape.head_width}, 3), 2);
  v_1HTE_ = repeated(drawn({1, shape.heads, distinct, shape.head_width}, 4), 2);
  pos_1T_ = measure_positions(0, length);
}

at::Tensor AttentionLoad::run(PositionEncoding& encoding) const {
  const auto x_1TD = encoding.embed(x_1TD_, pos_1T_);
  PassMemo memo;
  AttentionInput in{q_1HTE_, k_1HTE_, v_1HTE_, pos_1T_, pos_1T_, 0, shape_.causal};
  in.may_fuse = may_fuse_;
  const auto out = attend(encoding, in, &memo, nullptr, tile_ >= length_ ? 0 : tile_);
  // The embeddings enter, so that training reaches what was added to them.
  return out.mean() + (x_1TD.is_same(x_1TD_) ? at::zeros({}) : x_1TD.mean());
}

void AttentionLoad::forward(PositionEncoding& encoding) const {
  at::NoGradGuard no_grad;
  run(encoding);
}

void AttentionLoad::train(PositionEncoding& encoding) const {
  std::vector<at::Tensor> leaves = {q_1HTE_, k_1HTE_, v_1HTE_};
  for (auto& leaf : leaves) leaf.set_requires_grad(true);
  run(encoding).backward();
  for (auto& leaf : leaves) {
    leaf.mutable_grad().reset();
    leaf.set_requires_grad(false);
  }
  for (auto& parameter : encoding.parameters()) parameter.mutable_grad().reset();
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int64_t peak_bytes_of(const std::function<void()>& work) {
  const MemoryMeter meter;
  work();
  return meter.peak_bytes();
}

int64_t key_cache_bytes_per_token(const ModelShape& shape, PositionEncoding& encoding) {
  if (encoding.key_cache() == KeyCache::kNone) return 0;
  at::NoGradGuard no_grad;
  constexpr int64_t kTokens = 2;
  const auto x_1HTE = at::zeros({1, shape.heads, kTokens, shape.head_width});
  const auto pos = measure_positions(0, kTokens);
  int64_t bytes = 0;
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    LayerCache cache;
    attend(encoding, {x_1HTE, x_1HTE, x_1HTE, pos, pos, layer, shape.causal}, nullptr, &cache);
    for (const auto& kept : {cache.k_BHKE, cache.v_BHKE, cache.pos_BK}) bytes += kept.numel() * kept.element_size();
  }
  return bytes / kTokens;
}

}  // namespace lw
