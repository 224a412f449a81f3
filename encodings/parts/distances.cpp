#include "encodings/parts/distances.h"

#include <ATen/ops/_unique2.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace lw {
namespace {

// The tables below depend only on the positions, so all encodings share them under this owner.
const char kOwner = 0;
enum Table { kRange, kCausalClasses, kCausalIndex, kClasses, kIndex };

/// Smallest and largest. A loop, since two tensor operations would dominate the cost of a single query.
std::pair<int64_t, int64_t> bounds(const at::Tensor& pos_BT) {
  const auto pos = pos_BT.contiguous();
  const auto [least, most] = std::minmax_element(pos.data_ptr<int64_t>(), pos.data_ptr<int64_t>() + pos.numel());
  return {*least, *most};
}

}  // namespace

AheadRange ahead_range(const Site& at) {
  if (at.query_pos_BQ.numel() == 0 || at.key_pos_BK.numel() == 0) return {};
  if (at.key_pos_BK.device().is_cpu()) {
    const auto [first_key, last_key] = bounds(at.key_pos_BK);
    const auto [first_query, last_query] = bounds(at.query_pos_BQ);
    return {first_key - last_query, last_key - first_query};
  }
  const auto range_2 = at.once({&kOwner, kRange}, at.query_pos_BQ, at.key_pos_BK, [&] {
    return at::stack({at.key_pos_BK.min() - at.query_pos_BQ.max(), at.key_pos_BK.max() - at.query_pos_BQ.min()})
        .to(at::kCPU);
  });
  return {range_2.data_ptr<int64_t>()[0], range_2.data_ptr<int64_t>()[1]};
}

at::Tensor ahead_of_pairs(const Site& at) { return at.key_pos_BK.unsqueeze(-2) - at.query_pos_BQ.unsqueeze(-1); }

AheadClasses ahead_classes(const Site& at, bool causal) {
  AheadRange range = ahead_range(at);
  if (causal) range = {std::min<int64_t>(range.least, 0), std::min<int64_t>(range.most, 0)};
  const bool whole_range = range.count() <= at.query_pos_BQ.numel() * at.key_pos_BK.size(1);
  const auto distinct = [&](bool inverse) {
    const auto ahead_BQK = ahead_of_pairs(at).clamp(range.least, range.most);
    if (whole_range) return inverse ? ahead_BQK - range.least : range.values().to(ahead_BQK.device());
    const auto unique = at::_unique2(ahead_BQK, true, true);
    return inverse ? std::get<1>(unique) : std::get<0>(unique);
  };
  const auto once = [&](Table table, bool inverse) {
    return at.once({&kOwner, table}, at.query_pos_BQ, at.key_pos_BK, [&] { return distinct(inverse); });
  };
  return {once(causal ? kCausalClasses : kClasses, false), once(causal ? kCausalIndex : kIndex, true)};
}

at::Tensor pick_classes(const at::Tensor& score_BHQN, const at::Tensor& index_BQK) {
  const auto index_B1QK = index_BQK.unsqueeze(1);
  return score_BHQN.gather(-1, index_B1QK.expand({score_BHQN.size(0), score_BHQN.size(1), -1, -1}));
}

}  // namespace lw
