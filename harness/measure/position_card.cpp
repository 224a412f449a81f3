#include "harness/measure/position_card.h"

#include <algorithm>
#include <cmath>

#include "encodings/tensor.h"
#include "harness/measure/position_claims.h"

namespace lw {
namespace {
using Role = MeasuredAttention::Role;

/// Far enough for any function of the position to show that it is one.
constexpr int64_t kFar = 1 << 20;

/// Which hooks change anything, on any kind of layer, near the start or, where positions have no bound, far out.
std::vector<std::string> applies_to(const MakeEncoding& make, const MeasuredAttention& small) {
  double input = 0, query = 0, key = 0, logit = 0, value = 0;
  const auto widen = [](double& worst, const at::Tensor& a, const at::Tensor& b) {
    worst = std::max(worst, measure_gap(a, b));
  };
  const auto x = small.x_1TD();
  const auto q = small.heads(x, Role::kQuery), k = small.heads(x, Role::kKey), v = small.heads(x, Role::kValue);
  const auto encoding = fresh_encoding(make);
  std::vector<int64_t> starts = {1};
  if (!encoding->max_positions()) starts.push_back(kFar);
  for (const int64_t start : starts) {
    const auto pos = measure_positions(start, small.length());
    widen(input, encoding->embed(x, pos), x);
    for (const int64_t layer : encoding->layers_of_each_kind()) {
      const Site at{pos, pos, layer, nullptr};
      const auto rotated_q = encoding->rotate_query(q, at), rotated_k = encoding->rotate_key(k, at);
      auto logits = at::matmul(rotated_q, rotated_k.transpose(-1, -2));
      const auto weights = logits.softmax(-1), out = at::matmul(weights, v);
      auto adjusted = encoding->adjust_logits(logits, rotated_q, rotated_k, at);
      if (small.shape().causal) adjusted = adjusted.tril(), logits = logits.tril();
      widen(query, rotated_q, q);
      widen(key, rotated_k, k);
      widen(logit, adjusted, logits);
      widen(value, encoding->adjust_output(out, weights, at), out);
    }
  }
  std::vector<std::string> names;
  for (const auto& [name, worst] : {std::pair{"input", input}, std::pair{"query", query}, std::pair{"key", key},
                                    std::pair{"logits", logit}, std::pair{"value", value}})
    if (worst > kMeasureTolerance) names.emplace_back(name);
  return names;
}

bool has(const std::vector<std::string>& names, const char* name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Where tokens are put: past the training length, where methods change, and within a table's bound.
struct Reach {
  int64_t tokens = 0;  // few, since every pair of them is looked at
  int64_t last = 0;    // where the last of them stands
  std::vector<int64_t> shifts;

  Reach(const ModelShape& shape, std::optional<int64_t> bound, bool shift_invariant) {
    tokens = std::min<int64_t>(shape.train_length + 16, 96);
    if (bound) tokens = std::min(tokens, std::max<int64_t>(2, *bound / 2));
    last = std::max(tokens, 2 * shape.train_length + 16) - 1;
    if (bound) last = std::min(last, std::max(tokens - 1, *bound / 2 - 1));
    // Odd: no multiple of a group or a chunk. A second one, since a scheme may return after a period or change
    // far out only.
    shifts = {bound ? *bound - 1 - last : 2 * last + 97};
    if (!shift_invariant) shifts.push_back(bound ? shifts[0] - 1 : kFar + 1);
  }
};

void add_properties(PositionCard& card, const MakeEncoding& make, const MeasuredAttention& small,
                    const std::vector<int64_t>& shifts) {
  const auto encoding = fresh_encoding(make);
  double moved = 0, cached = 0;
  for (const int64_t layer : encoding->layers_of_each_kind()) {
    for (const int64_t shift : shifts)
      moved = std::max(moved, small.moved_by(*fresh_encoding(make), layer, shift).logits);
    if (!small.shape().causal) continue;
    const bool raw = encoding->key_cache() == KeyCache::kRaw;
    cached = std::max(cached, measure_gap(small.full(*fresh_encoding(make), layer),
                                          small.token_by_token(*fresh_encoding(make), layer, raw)));
  }
  card.shift_invariant = {encoding->shift_invariant(), moved <= kMeasureTolerance, moved};
  card.input_touched = {encoding->touches_input(), has(card.applies_to, "input"), {}};
  card.value_touched = {encoding->touches_values(), has(card.applies_to, "value"), {}};
  if (small.shape().causal)
    card.cache_valid = {encoding->key_cache() != KeyCache::kNone, cached <= kMeasureTolerance, cached};
}

/// Pairs whose wavelength is longer than `length`.
std::vector<int64_t> unfinished_pairs(const PositionEncoding& encoding, int64_t length) {
  std::vector<int64_t> pairs;
  for (const auto& f : encoding.facts(length))
    if (f.name == "wavelengths")
      for (size_t i = 0; i < f.numbers.size(); ++i)
        if (!(f.numbers[i] <= double(length))) pairs.push_back(int64_t(i));
  return pairs;
}

void add_facts(PositionCard& card, const PositionEncoding& encoding, const ModelShape& shape,
               const PositionCardOptions& options) {
  const int64_t length = options.length > 0 ? options.length : shape.train_length;
  const int64_t deployed = options.deployed > 0 ? options.deployed : length;
  bool wavelengths = false;
  for (const auto& f : encoding.facts(length)) {
    card.facts.push_back({f.name, f.value, f.numbers});
    wavelengths = wavelengths || f.name == "wavelengths";
  }
  if (wavelengths)
    card.unfinished = UnfinishedPairs{shape.train_length, unfinished_pairs(encoding, shape.train_length), deployed,
                                      unfinished_pairs(encoding, deployed)};
}

}  // namespace

PositionCard position_card(const std::string& scheme, const ModelShape& shape, const PositionCardOptions& options,
                           const MakeEncoding& make) {
  at::NoGradGuard no_grad;
  const auto encoding = make();
  const Reach reach(shape, encoding->max_positions(), encoding->shift_invariant());
  const MeasuredAttention small(shape, reach.tokens, reach.last);
  PositionCard card;
  card.scheme = scheme;
  card.applies_to = applies_to(make, small);
  for (const auto& p : encoding->parameters()) {
    card.parameters += p.numel();
    card.parameter_bytes += p.numel() * int64_t(p.element_size());
  }
  card.learned = card.parameters > 0;
  card.max_positions = encoding->max_positions();
  card.cache = key_cache_name(encoding->key_cache());
  add_properties(card, make, small, reach.shifts);
  add_facts(card, *encoding, shape, options);
  if (!options.claims) return card;
  card.claims = position_claims(shape, card.applies_to, make);
  for (auto& claim : card.claims)
    if (claim.value && !std::isfinite(*claim.value)) claim.value.reset();
  return card;
}

}  // namespace lw
