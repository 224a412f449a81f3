// Transformer-XL's relative positions: logits of the query, and of two learned biases, with projected sinusoids of the
// distance.
// Dai et al. 2019, "Transformer-XL: Attentive Language Models Beyond a Fixed-Length Context", arXiv:1901.02860, section
// 3.3:
//   sqrt(E) logit_ij = (q_i + u) . k_j + (q_i + v) . (W r_D),  D = i - j,
// with r_D a sinusoid of the model's width, all sines first (as in the authors' code), one W per layer, and one u and
// one v per head. As in the authors' code, all layers share u and v, and all three are drawn from a normal distribution
// with standard deviation 0.02.
// (q + v) . (W r_D) is formed once per query and distinct distance and then picked for each key. The paper's shift does
// the same, but only for as many queries as keys.
// The paper is causal: keys ahead count as distance 0. Without a causal mask r_D of a negative D is used, whose sines
// have the other sign, so that the two directions differ (as in XLNet).
#include <ATen/ops/outer.h>

#include <cmath>
#include <string>
#include <vector>

#include "encodings/parts/distances.h"
#include "encodings/parts/facts.h"
#include "encodings/parts/parameters.h"
#include "encodings/parts/precision.h"
#include "encodings/position_encoding.h"
#include "harness/base/config.h"
#include "harness/base/rng.h"
#include "harness/base/text.h"

namespace lw {
namespace {

constexpr double kTransformerXlInitStd = 0.02;

class TransformerXl final : public PositionEncoding {
 public:
  explicit TransformerXl(const ModelShape& shape)
      : causal_(shape.causal), heads_(shape.heads), width_(shape.width), head_width_(shape.head_width) {
    for (int64_t i = 0; i < width_ / 2; ++i)
      frequencies_.push_back(std::pow(10000.0, -2.0 * double(i) / double(width_)));
    w_LID_ = register_parameter("r_proj", at::zeros({shape.layers, heads_ * head_width_, width_}));
    u_HE_ = register_parameter("u", at::zeros({heads_, head_width_}));
    v_HE_ = register_parameter("v", at::zeros({heads_, head_width_}));
  }

  at::Tensor adjust_logits(const at::Tensor& logits_BHQK, const at::Tensor& q_BHQE, const at::Tensor& k_BHKE,
                           const Site& at) override {
    const auto wide = wide_type(logits_BHQK);
    if (logits_BHQK.numel() == 0) return logits_BHQK.to(wide);
    const auto classes = ahead_classes(at, causal_);
    const auto w_ID = w_LID_.select(0, at.layer).to(wide);
    const auto key_HEN = at::matmul(w_ID, sinusoid(at, classes, wide).t()).view({heads_, head_width_, -1});
    const auto score_BHQN = at::matmul(q_BHQE.to(wide) + v_HE_.to(wide).unsqueeze(1), key_HEN);
    const auto of_key_BHK = at::matmul(k_BHKE.to(wide), u_HE_.to(wide).unsqueeze(-1)).squeeze(-1);
    const auto added_BHQK = pick_classes(score_BHQN, classes.index_BQK) + of_key_BHK.unsqueeze(2);
    return logits_BHQK.to(wide) + added_BHQK / std::sqrt(double(head_width_));
  }

  bool shift_invariant() const override { return true; }

  std::vector<CardFact> facts(int64_t) const override {
    return {flag_fact("both_ways", !causal_), number_fact("sinusoid_width", double(width_))};
  }

  void reset_parameters(Rng& rng) override {
    Rng w_stream = rng.stream("r_proj"), u_stream = rng.stream("u"), v_stream = rng.stream("v");
    draw_normal(w_LID_, kTransformerXlInitStd, w_stream);
    draw_normal(u_HE_, kTransformerXlInitStd, u_stream);
    draw_normal(v_HE_, kTransformerXlInitStd, v_stream);
  }

 private:
  /// r of each distinct distance, angles in float64: [N, D].
  at::Tensor sinusoid(const Site& at, const AheadClasses& classes, at::ScalarType wide) const {
    return at.once({this, 0, wide}, at.query_pos_BQ, at.key_pos_BK, [&] {
      const auto frequency_F = at::tensor(frequencies_, at::kDouble).to(classes.ahead_N.device());
      const auto angle_NF = at::outer(-classes.ahead_N.to(at::kDouble), frequency_F);
      return at::cat({angle_NF.sin(), angle_NF.cos()}, -1).to(wide);
    });
  }

  bool causal_;
  int64_t heads_, width_, head_width_;
  std::vector<double> frequencies_;  // plain doubles: a cast of the module must not round them
  at::Tensor w_LID_, u_HE_, v_HE_;
};

}  // namespace

extern const EncodingInfo transformer_xl_encoding{
    .name = "transformer_xl",
    .summary = "projected sinusoids of the distance, and two learned biases per head",
    .paper = "Dai et al. 2019, arXiv:1901.02860",
    .golden = "sums over pairs written out, and the paper's shift",
    .read = [](ConfigNode& options, const ModelShape& shape) -> MakeEncoding {
      options.require(shape.width % 2 == 0, "scheme",
                      found("transformer_xl", " with a model width of ", shape.width)
                          .allowed("an even width, half sines and half cosines"));
      return maker_of<TransformerXl>(shape);
    },
};

}  // namespace lw
