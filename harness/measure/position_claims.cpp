#include "harness/measure/position_claims.h"

#include <algorithm>
#include <cmath>

#include "harness/base/numbers.h"
#include "harness/measure/input_claims.h"
#include "harness/measure/memory_meter.h"

namespace lw {
namespace {
using Role = MeasuredAttention::Role;

bool names_hold(const std::vector<std::string>& names, const char* name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Tokens within a table's bound.
int64_t tokens_up_to(const MakeEncoding& make, int64_t wanted) {
  const auto bound = make()->max_positions();
  return bound ? std::min(wanted, *bound) : wanted;
}

PositionClaim product_by_distance(const ModelShape& shape, bool rotates, const MakeEncoding& make) {
  PositionClaim claim{"product_by_distance",
                      "rotated q and k have a product that depends on their distance alone",
                      {},
                      {},
                      "queries and keys are not both rotated"};
  const int64_t tokens = tokens_up_to(make, 64);
  if (!rotates || tokens < 4) return claim;
  const int64_t last = make()->max_positions().value_or(131072) - tokens;
  const MeasuredAttention small(shape, tokens, tokens - 1);
  double worst = 0;
  for (const int64_t layer : make()->layers_of_each_kind())
    for (const int64_t shift : {std::min(tokens, last), std::min<int64_t>(1009, last), last})
      worst = std::max(worst, small.moved_by(*fresh_encoding(make), layer, shift).dot_product);
  claim.value = worst;
  claim.holds = worst <= kMeasureTolerance;
  claim.detail = "largest change when both move, by up to " + format_grouped(last) + " positions";
  return claim;
}

/// Widths of the runs of equal bias, from the query back; empty where hardly any two distances share a bias.
std::vector<int64_t> shared_widths(const at::Tensor& bias_HN) {
  const int64_t count = bias_HN.size(1);
  const auto changes_N = (bias_HN.slice(1, 1) - bias_HN.slice(1, 0, -1)).abs().amax(0).gt(0).to(at::kLong);
  if (changes_N.sum().item<int64_t>() == 0) return {};  // no bias at all
  std::vector<int64_t> widths;
  int64_t begin = 0;
  for (int64_t i = 0; i + 1 < count; ++i) {
    if (changes_N[i].item<int64_t>() == 0) continue;
    widths.push_back(i + 1 - begin);
    begin = i + 1;
  }
  const bool any_shared = std::any_of(widths.begin(), widths.end(), [](int64_t w) { return w > 1; });
  return any_shared ? widths : std::vector<int64_t>();
}

PositionClaim buckets_widen(const ModelShape& shape, bool adjusts, const MakeEncoding& make) {
  PositionClaim claim{"buckets_widen",
                      "distances that share a bias do so in buckets that widen with distance",
                      {},
                      {},
                      "no buckets: each distance has a bias of its own, or none has"};
  const int64_t count = tokens_up_to(make, 2048);
  if (!adjusts || count < 16) return claim;
  for (const int64_t layer : make()->layers_of_each_kind()) {
    const auto widths = shared_widths(logits_by_distance(*fresh_encoding(make), shape, layer, count, {}));
    if (widths.size() < 2) continue;
    // Bounds are rounded to whole distances, so a bucket may be one narrower than the one before.
    bool grows = widths.back() > widths.front();
    for (size_t i = 1; i < widths.size(); ++i) grows = grows && widths[i] + 1 >= widths[i - 1];
    int64_t last = 0;
    for (const int64_t w : widths) last += w;
    claim.holds = grows;
    claim.value = double(widths.back());
    claim.detail = "distances in the widest bucket but the last; " + std::to_string(widths.size() + 1) +
                   " buckets, the first " + std::to_string(widths.front()) + " wide, the last from " +
                   format_grouped(last) + " on";
    return claim;
  }
  return claim;
}

/// What logits take from the query beyond q . k is a product of the query with something that belongs to the key's
/// distance. Put into the key on its arrival, at distance 0, it is wrong at the next step; a bias without the query
/// leaves keys alone.
PositionClaim keys_hold_relations(const ModelShape& shape, bool adjusts, const MakeEncoding& make) {
  PositionClaim claim{"folding_keeps_logits",
                      "relations folded into cached keys leave logits right",
                      {},
                      {},
                      "logits are left as they are"};
  const int64_t tokens = tokens_up_to(make, 32);
  if (!adjusts || tokens < 2) return claim;
  const MeasuredAttention small(shape, tokens, tokens - 1);
  const auto pos = measure_positions(0, tokens);
  double worst = 0;
  for (const int64_t layer : make()->layers_of_each_kind()) {
    const auto encoding = fresh_encoding(make);
    const Site at{pos.narrow(1, tokens - 1, 1), pos, layer, nullptr};
    const auto q = encoding->rotate_query(small.heads(small.x_1TD(), Role::kQuery).narrow(2, tokens - 1, 1), at);
    const auto k = encoding->rotate_key(small.heads(small.x_1TD(), Role::kKey), at);
    // The part of the adjustment that comes from the query, as seen by the last token, and by the same query
    // standing where each key arrived.
    const auto part = [&](const Site& site, const at::Tensor& keys) {
      const auto plain = at::matmul(q, keys.transpose(-1, -2));
      return encoding->adjust_logits(plain, q, keys, site) - plain -
             encoding->adjust_logits(at::zeros_like(plain), at::zeros_like(q), at::zeros_like(keys), site);
    };
    const auto now = part(at, k);
    for (int64_t t = 0; t + 1 < tokens; ++t) {
      const Site arrival{pos.narrow(1, t, 1), pos.narrow(1, 0, t + 1), layer, nullptr};
      const auto then = part(arrival, k.narrow(2, 0, t + 1)).narrow(3, t, 1);
      worst = std::max(worst, measure_gap(then.nan_to_num(), now.narrow(3, t, 1).nan_to_num()));
    }
  }
  claim.value = worst;
  claim.holds = worst <= kMeasureTolerance;
  claim.detail = *claim.holds ? "there is nothing to fold: no part of the bias comes from the query"
                              : "error of a logit when what the query meets is put into the key on its arrival";
  return claim;
}

PositionClaim tiles_equal_whole(const ModelShape& shape, const MakeEncoding& make) {
  PositionClaim claim{
      "tiles_equal_whole", "no length x length bias is needed: queries in tiles give the same", {}, {}, {}};
  constexpr int64_t kTile = 16;
  const int64_t tokens = tokens_up_to(make, 256);
  const MeasuredAttention small(shape, tokens, tokens - 1);
  double worst = 0;
  int64_t whole_bytes = 0, tile_bytes = 0;
  for (const int64_t layer : make()->layers_of_each_kind()) {
    const auto encoding = fresh_encoding(make);
    const auto measured = [&](int64_t tile, int64_t& bytes) {
      const MemoryMeter meter;
      auto out = small.full(*encoding, layer, tile);
      bytes = std::max(bytes, meter.peak_bytes());
      return out;
    };
    const auto whole = measured(0, whole_bytes), tiled = measured(kTile, tile_bytes);
    worst = std::max(worst, measure_gap(whole, tiled));
  }
  claim.value = worst;
  claim.holds = worst <= kMeasureTolerance && (tokens <= 4 * kTile || tile_bytes < whole_bytes);
  claim.detail = "largest change of an output at " + format_grouped(tokens) + " tokens; " + format_grouped(tile_bytes) +
                 " bytes in tiles of " + std::to_string(kTile) + " queries, " + format_grouped(whole_bytes) +
                 " at once";
  return claim;
}

}  // namespace

at::Tensor logits_by_distance(PositionEncoding& encoding, const ModelShape& shape, int64_t layer, int64_t count,
                              const at::Tensor& content_1HE) {
  const auto content = content_1HE.defined() ? content_1HE : at::zeros({1, shape.heads, shape.head_width}, at::kDouble);
  const auto all_1HTE = content.unsqueeze(2).expand({1, shape.heads, count, shape.head_width}).contiguous();
  return last_query_logits(encoding, all_1HTE, layer);
}

at::Tensor input_codes(PositionEncoding& encoding, const ModelShape& shape, const at::Tensor& pos_1T) {
  const auto x = at::zeros({1, 1, shape.width}, at::kDouble).expand({1, pos_1T.size(1), shape.width});
  return encoding.embed(x, pos_1T).select(0, 0);
}

std::vector<PositionClaim> position_claims(const ModelShape& shape, const std::vector<std::string>& applies_to,
                                           const MakeEncoding& make) {
  at::NoGradGuard no_grad;
  auto claims = input_claims(shape, names_hold(applies_to, "input"), make);
  const bool adjusts = names_hold(applies_to, "logits");
  claims.push_back(product_by_distance(shape, names_hold(applies_to, "query") && names_hold(applies_to, "key"), make));
  claims.push_back(buckets_widen(shape, adjusts, make));
  claims.push_back(keys_hold_relations(shape, adjusts, make));
  claims.push_back(tiles_equal_whole(shape, make));
  return claims;
}

}  // namespace lw
