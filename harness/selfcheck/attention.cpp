// Attention: in tiles, in the fused kernel, over a key cache, within memory.
#include "harness/selfcheck/attention.h"

#include <algorithm>

#include "harness/measure/attention_cost.h"
#include "harness/measure/position_measure.h"
#include "harness/model/fused_attention.h"
#include "harness/model/transformer.h"
#include "harness/selfcheck/check.h"

namespace lw {
namespace {

constexpr int64_t kCheckedTokens = 48, kTile = 7;

int64_t within_reach(const PositionEncoding& encoding) {
  return std::min(kCheckedTokens, encoding.max_positions().value_or(kCheckedTokens));
}

/// Drawn queries, keys and values at positions 0, 1, 2, ... of one layer.
AttentionInput drawn_input(const ModelShape& shape, int64_t tokens, int64_t layer) {
  const std::vector<int64_t> sizes = {1, shape.heads, tokens, shape.head_width};
  const auto pos = measure_positions(0, tokens);
  return {measure_draws(sizes, 11), measure_draws(sizes, 12), measure_draws(sizes, 13), pos, pos, layer, shape.causal};
}

Finding check_tiles(std::span<const Subject> subjects) {
  Deviations found(kTilesBound, "setting");
  for (const auto& s : subjects) found.add(tiles_apart(s.position.shape(), s.encoding()), s.name);
  return found.finding();
}

Finding check_fused(std::span<const Subject> subjects) {
  Deviations found(kFusedBound, "setting");
  for (const auto& s : subjects) {
    const auto apart = fused_apart(s.position.shape(), s.encoding(), s.device);
    if (apart)
      found.add(*apart, s.name);
    else
      found.leave_out(s.name, "it changes logits or outputs, so no fused kernel is used");
  }
  return found.finding();
}

Finding check_memory(std::span<const Subject> subjects) {
  Deviations found(kMemoryBound, "setting");
  for (const auto& s : subjects) {
    const auto encoding = s.position.build();
    const auto forward = [&](int64_t length) {
      const auto& shape = s.position.shape();
      AttentionLoad(shape, length, evaluation_tile(1, shape.heads, length), true).forward(*encoding);
    };
    if (const auto bound = encoding->max_positions(); bound && *bound < kMemoryLong)
      found.leave_out(s.name, "its positions end before " + std::to_string(kMemoryLong) + " tokens");
    else
      found.add(memory_growth(forward), s.name);
  }
  return found.finding();
}

Finding check_key_cache(std::span<const Subject> subjects) {
  Deviations found(kKeyCacheBound, "setting");
  for (const auto& s : subjects) {
    if (!s.without_model.empty())
      found.leave_out(s.name, s.without_model);
    else if (!s.model.causal())
      found.leave_out(s.name, "encoders keep no keys");
    else if (s.position.build()->key_cache() == KeyCache::kNone)
      found.leave_out(s.name, "no key may be kept: a longer sequence changes earlier states");
    else
      found.add(key_cache_apart(*s.make(), s.tokens), s.name);
  }
  return found.finding();
}

}  // namespace

double tiles_apart(const ModelShape& shape, const MakeEncoding& make) {
  const at::NoGradGuard no_grad;
  double worst = 0;
  const auto encoding = fresh_encoding(make);
  for (const int64_t layer : encoding->layers_of_each_kind()) {
    AttentionInput in = drawn_input(shape, within_reach(*encoding), layer);
    in.may_fuse = false;  // the kernel takes no tiles
    const auto whole = attend(*encoding, in), tiled = attend(*encoding, in, nullptr, nullptr, kTile);
    worst = std::max(worst, measure_gap(whole, tiled));
  }
  return worst;
}

std::optional<double> fused_apart(const ModelShape& shape, const MakeEncoding& make, const std::string& device) {
  const at::NoGradGuard no_grad;
  std::optional<double> worst;
  const auto encoding = fresh_encoding(make);
  encoding->to(at::Device(device), at::kFloat);
  for (const int64_t layer : encoding->layers_of_each_kind()) {
    AttentionInput in = drawn_input(shape, within_reach(*encoding), layer);
    for (auto* x : {&in.q_BHQE, &in.k_BHKE, &in.v_BHKE}) *x = x->to(at::Device(device), at::kFloat);
    in.query_pos_BQ = in.key_pos_BK = in.key_pos_BK.to(at::Device(device));
    const Site site{in.query_pos_BQ, in.key_pos_BK, layer, nullptr};
    if (!fused_mask(*encoding, in, site)) continue;
    const auto fused = attend(*encoding, in);
    in.may_fuse = false;
    worst = std::max(worst.value_or(0), measure_gap(fused, attend(*encoding, in)));
  }
  return worst;
}

double memory_growth(const std::function<void(int64_t)>& forward) {
  const at::NoGradGuard no_grad;
  const auto peak = [&](int64_t length) { return double(peak_bytes_of([&] { forward(length); })); };
  return peak(kMemoryLong) / peak(kMemoryShort);
}

double key_cache_apart(Transformer& model, int64_t tokens) {
  const at::NoGradGuard no_grad;
  model.to(at::kDouble);
  const auto device = model.parameters().front().device();
  Rng draw(3);
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < tokens; ++i) ids.push_back(draw.below(model.config().vocabulary));
  const auto tokens_1T = at::tensor(ids, at::kLong).unsqueeze(0).to(device);
  const auto pos_1T = measure_positions(0, tokens).to(device);
  const auto full = model.hidden(tokens_1T, pos_1T);
  Cache cache;
  std::vector<at::Tensor> steps;
  for (int64_t t = 0; t < tokens; ++t)
    steps.push_back(model.hidden(tokens_1T.narrow(1, t, 1), pos_1T.narrow(1, t, 1), &cache));
  return measure_gap(full, at::cat(steps, 1));
}

std::optional<double> moved_by_shift(const ModelShape& shape, const MakeEncoding& make) {
  const at::NoGradGuard no_grad;
  const auto encoding = fresh_encoding(make);
  const int64_t n = within_reach(*encoding) / 2;
  // Odd, so no multiple of a group or a chunk.
  const int64_t shift = std::min<int64_t>(1009, encoding->max_positions().value_or(1 << 20) - n);
  if (n < 2 || shift < n) return std::nullopt;
  const auto here = measure_positions(0, n), pos = at::cat({here, here + shift}, 1);
  const std::vector<int64_t> sizes = {1, shape.heads, 1, shape.head_width};
  const auto one_token = [&](uint64_t seed) { return measure_draws(sizes, seed).expand({-1, -1, 2 * n, -1}); };
  double worst = 0;
  for (const int64_t layer : encoding->layers_of_each_kind()) {
    const auto logits = site_logits(*encoding, one_token(21), one_token(22), {pos, pos, layer, nullptr}).logits_BHQK;
    const auto first = logits.narrow(2, 0, n).narrow(3, 0, n), second = logits.narrow(2, n, n).narrow(3, n, n);
    // Keys ahead of a causal query are masked: what stands there is nobody's.
    worst = std::max(worst, shape.causal ? measure_gap(first.tril(), second.tril()) : measure_gap(first, second));
  }
  return worst;
}

extern const SelfCheck attention_tiles_check{
    .name = "attention_tiles",
    .compares = "attention in tiles, and at once",
    .measures = "largest difference of an output, float64",
    .run = check_tiles,
};

extern const SelfCheck attention_fused_check{
    .name = "attention_fused",
    .compares = "the fused kernel, and the path with all hooks",
    .measures = "largest difference of an output, float32",
    .run = check_fused,
};

extern const SelfCheck attention_memory_check{
    .name = "attention_memory",
    .compares = "peak memory at 2048 tokens, and at 1024",
    .measures = "ratio of peak bytes: 2 is linear, 4 quadratic",
    .run = check_memory,
};

extern const SelfCheck key_cache_check{
    .name = "key_cache",
    .compares = "one token at a time, and a full pass",
    .measures = "largest difference of a hidden state, float64",
    .run = check_key_cache,
};

}  // namespace lw
