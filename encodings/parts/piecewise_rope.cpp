#include "encodings/parts/piecewise_rope.h"

#include <ATen/ops/where.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "encodings/parts/facts.h"
#include "harness/base/config.h"
#include "harness/base/text.h"

namespace lw {
namespace {

/// `part` inside the region and `rest` outside. Without gradients the result reuses the memory of `part`, since each of
/// these tensors is as large as all logits.
at::Tensor replaced(const at::Tensor& rest_BHQK, const at::Tensor& region_B1QK, at::Tensor part_BHQK) {
  const bool tracked = part_BHQK.requires_grad() || rest_BHQK.requires_grad();
  if (tracked || part_BHQK.sizes() != rest_BHQK.sizes() || region_B1QK.size(0) > part_BHQK.size(0))
    return at::where(region_B1QK, part_BHQK, rest_BHQK);
  return at::where_out(part_BHQK, region_B1QK, part_BHQK, rest_BHQK);
}

}  // namespace

at::Tensor PiecewiseRope::adjust_logits(const at::Tensor&, const at::Tensor& q_BHQE, const at::Tensor& k_BHKE,
                                        const Site& at) {
  const double scale = 1.0 / std::sqrt(double(q_BHQE.size(-1)));
  at::Tensor logits_BHQK, rotated_k_BHKE, rotated_to;
  for (const auto& pass : passes(at)) {
    // Passes that differ only in the query's position share the rotated keys.
    if (!rotated_to.defined() || !rotated_to.is_same(pass.key_pos_BK)) {
      rotated_k_BHKE = rotation_.rotate_key(k_BHKE, pass.key_pos_BK, at);
      rotated_to = pass.key_pos_BK;
    }
    const auto rotated_q_BHQE = rotation_.rotate_query(q_BHQE, pass.query_pos_BQ, at) * scale;
    const auto part_BHQK = at::matmul(rotated_q_BHQE, rotated_k_BHKE.transpose(-1, -2));
    logits_BHQK = logits_BHQK.defined() ? replaced(logits_BHQK, pass.region_BQK.unsqueeze(1), part_BHQK) : part_BHQK;
  }
  return logits_BHQK;
}

at::Tensor PiecewiseRope::everywhere(const Site& at, Table table, int64_t position) const {
  return moved(at, table, at.key_pos_BK, [&] { return at::full({1, 1}, position, at.key_pos_BK.options()); });
}

at::Tensor PiecewiseRope::region(const Site& at, Table table, const std::function<at::Tensor()>& make) const {
  return at.once({this, table}, at.query_pos_BQ, at.key_pos_BK, [&] {
    const auto region_BQK = make();
    return region_BQK.any().item<bool>() ? region_BQK : at::Tensor();
  });
}

std::vector<CardFact> PiecewiseRope::facts(int64_t length) const {
  std::vector<CardFact> out = option_facts(length);
  const double largest = largest_distance(std::max<int64_t>(length, 1));
  out.push_back(number_fact("largest_distance", largest));
  if (train_length_ > 0) out.push_back(flag_fact("distances_seen_in_training", largest < double(train_length_)));
  for (auto& fact : rotation_.facts(length)) out.push_back(std::move(fact));
  return out;
}

at::Tensor far_pairs(const Site& at, int64_t distance) {
  return at.key_pos_BK.unsqueeze(-2) <= (at.query_pos_BQ - distance).unsqueeze(-1);
}

int64_t read_window(ConfigNode& options, const char* key, int64_t fallback, int64_t train_length,
                    const std::string& doc) {
  const int64_t window = options.integer(key, fallback, {.min = 1, .max = int64_t{1} << 40}, doc);
  options.require(train_length == 0 || window <= train_length, key,
                  found(window).allowed("at most ", train_length, ", the training length"));
  return window;
}

}  // namespace lw
