#include "encodings/position_encoding.h"

#include "harness/base/error.h"

namespace lw {

torch::Tensor PassMemo::get(const void* owner, int tag, const torch::Tensor& first_pos, const torch::Tensor& second_pos,
                            const std::function<torch::Tensor()>& make) {
  for (const auto& entry : entries_)
    if (entry.owner == owner && entry.tag == tag && entry.first_pos.is_same(first_pos) &&
        entry.second_pos.is_same(second_pos))
      return entry.value;
  torch::Tensor value = make();
  entries_.push_back({owner, tag, first_pos, second_pos, value});
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

torch::Tensor PositionEncoding::embed(const torch::Tensor& x_BQD, const torch::Tensor&) { return x_BQD; }

torch::Tensor PositionEncoding::rotate_query(const torch::Tensor& q_BHQE, const Site&) { return q_BHQE; }

torch::Tensor PositionEncoding::rotate_key(const torch::Tensor& k_BHKE, const Site&) { return k_BHKE; }

torch::Tensor PositionEncoding::adjust_logits(const torch::Tensor& logits_BHQK, const torch::Tensor&,
                                              const torch::Tensor&, const Site&) {
  return logits_BHQK;
}

torch::Tensor PositionEncoding::adjust_output(const torch::Tensor& out_BHQE, const torch::Tensor&, const Site&) {
  return out_BHQE;
}

torch::Tensor PositionEncoding::bias_by_distance(const torch::Tensor&) const { return {}; }

std::vector<CardFact> PositionEncoding::facts(int64_t) const { return {}; }

void PositionEncoding::reset_parameters(Rng&) {}

}  // namespace lw
