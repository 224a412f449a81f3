// Learned vectors of the clipped distance, added to keys and to values.
// Shaw et al. 2018, "Self-Attention with Relative Position Representations", arXiv:1803.02155, sections 3.1-3.3:
//   logit_ij = q_i . (k_j + A[c]) / sqrt(E),  out_i = sum_j p_ij (v_j + B[c]),  c = clip(j - i, -k, k) + k.
// Each layer has its own A and B, shared by its heads (section 3.3). `values: false` leaves B out, as most
// later models do. q A^T is formed once per query and gathered, and weights are summed into 2k + 1 bins
// before they meet B, so nothing of size Q x K x E exists.
#include <cmath>
#include <string>

#include "encodings/parts/facts.h"
#include "encodings/parts/parameters.h"
#include "encodings/parts/precision.h"
#include "encodings/position_encoding.h"
#include "harness/base/config.h"
#include "harness/base/rng.h"

namespace lw {
namespace {

constexpr double kShawInitStd = 0.02;

class Shaw final : public PositionEncoding {
 public:
  Shaw(const ModelShape& shape, int64_t max_distance, bool values) : max_distance_(max_distance), values_(values) {
    const std::vector<int64_t> sizes = {shape.layers, 2 * max_distance + 1, shape.head_width};
    key_LCE_ = register_parameter("keys", at::zeros(sizes));
    if (values_) value_LCE_ = register_parameter("values", at::zeros(sizes));
  }

  at::Tensor adjust_logits(const at::Tensor& logits_BHQK, const at::Tensor& q_BHQE, const at::Tensor&,
                           const Site& at) override {
    const auto wide = wide_type(logits_BHQK);
    const auto key_CE = key_LCE_.select(0, at.layer).to(wide);
    const auto score_BHQC = at::matmul(q_BHQE.to(wide), key_CE.t()) / std::sqrt(double(q_BHQE.size(-1)));
    return logits_BHQK + score_BHQC.gather(-1, distance_class(at, logits_BHQK));
  }

  at::Tensor adjust_output(const at::Tensor& out_BHQE, const at::Tensor& weights_BHQK, const Site& at) override {
    if (!values_) return out_BHQE;
    const auto wide = wide_type(out_BHQE);
    auto sizes = weights_BHQK.sizes().vec();
    sizes.back() = value_LCE_.size(1);
    const auto weight_BHQC = at::zeros(sizes, weights_BHQK.options().dtype(wide))
                                 .scatter_add(-1, distance_class(at, weights_BHQK), weights_BHQK.to(wide));
    const auto extra_BHQE = at::matmul(weight_BHQC, value_LCE_.select(0, at.layer).to(wide));
    return (out_BHQE.to(wide) + extra_BHQE).to(out_BHQE.scalar_type());
  }

  bool shift_invariant() const override { return true; }
  bool touches_values() const override { return values_; }

  std::vector<CardFact> facts(int64_t) const override {
    return {number_fact("max_distance", double(max_distance_)), flag_fact("values", values_)};
  }

  void reset_parameters(Rng& rng) override {
    Rng key_stream = rng.stream("keys");
    draw_normal(key_LCE_, kShawInitStd, key_stream);
    if (!values_) return;
    Rng value_stream = rng.stream("values");
    draw_normal(value_LCE_, kShawInitStd, value_stream);
  }

 private:
  /// clip(key - query, -k, k) + k, spread over the heads of `like_BHQK`.
  at::Tensor distance_class(const Site& at, const at::Tensor& like_BHQK) const {
    const auto ahead_BQK = at.key_pos_BK.unsqueeze(-2) - at.query_pos_BQ.unsqueeze(-1);
    return (ahead_BQK.clamp(-max_distance_, max_distance_) + max_distance_).unsqueeze(1).expand_as(like_BHQK);
  }

  int64_t max_distance_;
  bool values_;
  at::Tensor key_LCE_, value_LCE_;  // layer, distance class, head width
};

}  // namespace

extern const EncodingInfo shaw_encoding{
    .name = "shaw",
    .summary = "learned vectors of the clipped distance, on keys and values",
    .paper = "Shaw et al. 2018, arXiv:1803.02155",
    .golden = "sums over pairs written out",
    .read = [](ConfigNode& options, const ModelShape& shape) -> MakeEncoding {
      const int64_t max_distance =
          options.integer("max_distance", 16, {.min = 1, .max = 1 << 20}, "distances beyond it share one vector");
      const bool values = options.flag("values", true, "also add vectors to the values");
      return maker_of<Shaw>(shape, max_distance, values);
    },
};

}  // namespace lw
