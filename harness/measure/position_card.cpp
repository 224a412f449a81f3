#include "harness/measure/position_card.h"

#include <algorithm>
#include <cmath>

#include "encodings/parts/wavelengths.h"
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
  std::vector<int64_t> starts = {std::min<int64_t>(1, encoding->max_positions().value_or(kFar) - small.length())};
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

/// Beyond this many tokens, rounding of positions in float64 hides what is to be measured.
constexpr int64_t kFarthest = int64_t{1} << 32;

/// Where tokens are put: past the training length and everything that changes on the way, within a table's bound.
struct Reach {
  int64_t tokens = 0;        // few, since every pair of them is looked at
  int64_t last = 0;          // where the last of them stands, with room for the same tokens once more behind it
  int64_t last_at_once = 0;  // the same without that room
  std::vector<int64_t> shifts;

  explicit Reach(const PositionEncoding& encoding, int64_t train_length) {
    auto bound = encoding.max_positions();
    // Where positions end because frequencies do, those grow without bound towards the end: half the way is enough.
    const int64_t after = encoding.changes_after();
    if (bound && after > 0 && *bound > after) bound = after + (*bound - after + 1) / 2;
    tokens = std::min<int64_t>(train_length + 16, 96);
    if (bound) tokens = std::min(tokens, std::max(std::min<int64_t>(*bound, 2), *bound / 2));
    const int64_t changes = std::min(after, kFarthest);
    last = last_at_once = std::max({tokens, 2 * train_length + 16, 2 * changes + 16}) - 1;
    if (bound) {
      last = std::min(last, std::max(tokens - 1, *bound / 2 - 1));
      last_at_once = std::min(last_at_once, std::max(tokens - 1, *bound - 1));
    }
    // Odd: no multiple of a group or a chunk. Further ones, since a scheme may return after a period or change far
    // out only.
    shifts = {bound ? *bound - 1 - last : 2 * last + 97};
    if (encoding.shift_invariant()) return;
    shifts.push_back(bound ? shifts[0] - 1 : shifts[0] + 1);
    if (!bound && kFar > last) shifts.push_back(kFar + 1);
  }

  bool shifts_at_all() const { return shifts.front() > 0; }
  /// Angles are products of a position, so their rounding grows with it.
  double tolerance() const { return kMeasureTolerance * std::max(1.0, double(last) / 8192); }
};

/// What was measured, or how far one would have to go to measure it.
CardProperty property_of(bool declared, bool reached, int64_t shows_after, bool measured, double residual) {
  if (!reached) return {declared, {}, {}, shows_after};
  return {declared, measured, residual, {}};
}

void add_shift_invariant(PositionCard& card, const MakeEncoding& make, const MeasuredAttention& small,
                         const Reach& reach) {
  const auto encoding = fresh_encoding(make);
  double moved = 0;
  for (const int64_t layer : encoding->layers_of_each_kind())
    for (const int64_t shift : reach.shifts)
      if (shift > 0) moved = std::max(moved, small.moved_by(*fresh_encoding(make), layer, shift).logits);
  const bool reached = reach.shifts_at_all() && encoding->changes_after() < reach.last;
  card.shift_invariant =
      property_of(encoding->shift_invariant(), reached, encoding->changes_after(), moved <= reach.tolerance(), moved);
}

void add_cache_valid(PositionCard& card, const MakeEncoding& make, const MeasuredAttention& grown, const Reach& reach) {
  const auto encoding = fresh_encoding(make);
  const bool raw = encoding->key_cache() == KeyCache::kRaw;
  double cached = 0;
  for (const int64_t layer : encoding->layers_of_each_kind())
    cached = std::max(cached, measure_gap(grown.full(*fresh_encoding(make), layer),
                                          grown.token_by_token(*fresh_encoding(make), layer, raw)));
  card.cache_valid =
      property_of(encoding->key_cache() != KeyCache::kNone, encoding->changes_after() < reach.last_at_once,
                  encoding->changes_after(), cached <= kMeasureTolerance, cached);
}

/// Pairs whose wavelength is longer than `length`.
std::vector<int64_t> unfinished_pairs(const PositionEncoding& encoding, int64_t length) {
  std::vector<int64_t> pairs;
  for (const auto& f : encoding.facts(length))
    if (f.name == "wavelengths") pairs = incomplete_pairs(f.numbers, length);
  return pairs;
}

void add_facts(PositionCard& card, const PositionEncoding& encoding, const ModelShape& shape,
               const PositionCardOptions& options) {
  const int64_t length = options.length > 0 ? options.length : shape.train_length;
  int64_t deployed = options.deployed > 0 ? options.deployed : length;
  deployed = std::min(deployed, encoding.max_positions().value_or(deployed));  // what it is for stands beside the pairs
  bool wavelengths = false;
  for (const auto& f : encoding.facts(length)) {
    card.facts.push_back({f.name, f.value, f.numbers, f.list});
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
  const Reach reach(*encoding, shape.train_length);
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
  card.input_touched = {encoding->touches_input(), has(card.applies_to, "input"), {}, {}};
  card.value_touched = {encoding->touches_values(), has(card.applies_to, "value"), {}, {}};
  add_shift_invariant(card, make, small, reach);
  if (shape.causal) add_cache_valid(card, make, MeasuredAttention(shape, reach.tokens, reach.last_at_once), reach);
  add_facts(card, *encoding, shape, options);
  if (!options.claims) return card;
  card.claims = position_claims(shape, card.applies_to, make);
  for (auto& claim : card.claims)
    if (claim.value && !std::isfinite(*claim.value)) claim.value.reset();
  return card;
}

}  // namespace lw
