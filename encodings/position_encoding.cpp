#include "encodings/position_encoding.h"

#include "encodings/tensor.h"
#include "harness/base/error.h"
#include "harness/base/text.h"

namespace lw {

at::Tensor PassMemo::get(const TableKey& key, const at::Tensor& first_pos, const at::Tensor& second_pos,
                         const std::function<at::Tensor()>& make) {
  const bool with_gradients = at::GradMode::is_enabled();
  for (const auto& entry : entries_)
    if (entry.key == key && entry.with_gradients == with_gradients && entry.first_pos.is_same(first_pos) &&
        entry.second_pos.is_same(second_pos))
      return entry.value;
  at::Tensor value = make();
  entries_.push_back({key, with_gradients, first_pos, second_pos, value});
  return value;
}

std::string_view key_cache_name(KeyCache cache) {
  switch (cache) {
    case KeyCache::kRotated:
      return "rotated";
    case KeyCache::kRaw:
      return "raw";
    case KeyCache::kNone:
      return "none";
  }
  LW_CHECK(false, "a key cache without a name");
  return {};
}

at::Tensor PositionEncoding::embed(const at::Tensor& x_BQD, const at::Tensor&) { return x_BQD; }

at::Tensor PositionEncoding::rotate_query(const at::Tensor& q_BHQE, const Site&) { return q_BHQE; }

at::Tensor PositionEncoding::rotate_key(const at::Tensor& k_BHKE, const Site&) { return k_BHKE; }

at::Tensor PositionEncoding::adjust_logits(const at::Tensor& logits_BHQK, const at::Tensor&, const at::Tensor&,
                                           const Site&) {
  return logits_BHQK;
}

at::Tensor PositionEncoding::adjust_output(const at::Tensor& out_BHQE, const at::Tensor&, const Site&) {
  return out_BHQE;
}

at::Tensor PositionEncoding::bias_by_distance(const at::Tensor&) const { return {}; }

std::vector<CardFact> PositionEncoding::facts(int64_t) const { return {}; }

void PositionEncoding::check_positions(const at::Tensor& pos_BT) const {
  const auto bound = max_positions();
  if (!bound || pos_BT.numel() == 0) return;
  const int64_t low = pos_BT.min().item<int64_t>(), high = pos_BT.max().item<int64_t>();
  if (low >= kPadding && high < *bound) return;
  throw Error(ErrorKind::kUnsupported, undefined_position(low < kPadding ? low : high));
}

std::string PositionEncoding::undefined_position(int64_t position) const {
  return text("position ", position, " is not defined; allowed: 0 to ", max_positions().value_or(0) - 1);
}

void PositionEncoding::reset_parameters(Rng&) {}

}  // namespace lw
