// FIRE: a bias that a small network computes from distance relative to the query's position.
// Li et al. 2024, "Functional Interpolation for Relative Positions Improves Long Context Transformers",
// arXiv:2310.04418, section 3 and the listing in the appendix:
//   bias_h(i, D) = MLP_h( ln(1 + |c| D) / (ln(1 + |c| max(i, |L|)) + 1e-6) ),
// with i the query's position, MLP 1 - mlp_width - H with ReLU, c learned from 0.1 and L = threshold times a learned
// multiplier that starts at 1. The argument lies in [0, 1) at every length. It depends on i as well as on D, so logits
// move when all positions shift.
// The network is initialised like PyTorch's linear layers, uniform within 1 / sqrt(inputs), as in the listing. One
// network serves all layers unless `per_layer`. The paper is causal: keys ahead of the query count as distance 0.
// Without a causal mask D is |key - query| and max(i, j) stands in for i, so that the argument stays in [0, 1).
#include <ATen/ops/addcmul.h>
#include <ATen/ops/addmm.h>

#include <algorithm>
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

namespace lw {
namespace {

constexpr double kFireEpsilon = 1e-6, kFireC = 0.1;
/// Pairs in one pass through the network when no gradient is needed: what fits a core's cache.
constexpr int64_t kPairsAtOnce = 16384;

class Fire final : public PositionEncoding {
 public:
  Fire(const ModelShape& shape, int64_t mlp_width, double threshold, bool per_layer)
      : causal_(shape.causal), per_layer_(per_layer), threshold_(threshold) {
    const int64_t networks = per_layer ? shape.layers : 1;
    c_N_ = register_parameter("c", at::full({networks}, kFireC));
    multiplier_N_ = register_parameter("l_multiplier", at::ones({networks}));
    weight_in_NU_ = register_parameter("mlp_in_weight", at::zeros({networks, mlp_width}));
    bias_in_NU_ = register_parameter("mlp_in_bias", at::zeros({networks, mlp_width}));
    weight_out_NHU_ = register_parameter("mlp_out_weight", at::zeros({networks, shape.heads, mlp_width}));
    bias_out_NH_ = register_parameter("mlp_out_bias", at::zeros({networks, shape.heads}));
  }

  at::Tensor adjust_logits(const at::Tensor& logits_BHQK, const at::Tensor&, const at::Tensor&,
                           const Site& at) override {
    const auto wide = wide_type(logits_BHQK);
    if (logits_BHQK.numel() == 0) return logits_BHQK.to(wide);
    if (per_layer_) return logits_BHQK.to(wide) + bias(at, at.layer, wide);
    return logits_BHQK.to(wide) +
           at.once({this, 0, wide}, at.query_pos_BQ, at.key_pos_BK, [&] { return bias(at, 0, wide); });
  }

  bool shift_invariant() const override { return false; }
  int64_t changes_after() const override { return int64_t(std::ceil(std::min(threshold_, 0x1p62))); }

  std::vector<CardFact> facts(int64_t) const override {
    std::vector<double> c, thresholds;
    for (int64_t n = 0; n < c_N_.numel(); ++n) {
      c.push_back(c_N_[n].item<double>());
      thresholds.push_back(std::abs(threshold_ * multiplier_N_[n].item<double>()));
    }
    return {number_fact("mlp_width", double(weight_in_NU_.size(1))), flag_fact("per_layer", per_layer_),
            flag_fact("symmetric", !causal_), list_fact("c", c), list_fact("learned_threshold", thresholds)};
  }

  void reset_parameters(Rng& rng) override {
    const double out_bound = 1.0 / std::sqrt(double(weight_in_NU_.size(1)));
    draw("mlp_in_weight", weight_in_NU_, 1, rng);
    draw("mlp_in_bias", bias_in_NU_, 1, rng);
    draw("mlp_out_weight", weight_out_NHU_, out_bound, rng);
    draw("mlp_out_bias", bias_out_NH_, out_bound, rng);
  }

 private:
  static void draw(const char* name, at::Tensor& parameter, double bound, const Rng& rng) {
    Rng stream = rng.stream(name);
    draw_uniform(parameter, -bound, bound, stream);
  }

  /// ln(1 + |c| D) / (ln(1 + |c| max(i, |L|)) + eps): [B, Q, K].
  at::Tensor interpolated(const Site& at, int64_t network, at::ScalarType wide) const {
    const auto c = c_N_[network].to(wide).abs(), l = (multiplier_N_[network].to(wide) * threshold_).abs();
    const auto query_BQ1 = at.query_pos_BQ.unsqueeze(-1), key_B1K = at.key_pos_BK.unsqueeze(-2);
    const auto distance_BQK = causal_ ? (query_BQ1 - key_B1K).clamp_min(0) : (query_BQ1 - key_B1K).abs();
    const auto last = (causal_ ? query_BQ1 : at::maximum(query_BQ1, key_B1K)).clamp_min(0).to(wide);
    return (c * distance_BQK.to(wide)).log1p() / ((c * at::maximum(last, l)).log1p() + kFireEpsilon);
  }

  at::Tensor network_of(int64_t n, const at::Tensor& x_P, at::ScalarType wide) const {
    const auto hidden_PU =
        at::addcmul(bias_in_NU_[n].to(wide).unsqueeze(0), x_P.unsqueeze(1), weight_in_NU_[n].to(wide).unsqueeze(0))
            .relu();
    return at::addmm(bias_out_NH_[n].to(wide), hidden_PU, weight_out_NHU_[n].to(wide).t());
  }

  /// [B, H, Q, K].
  at::Tensor bias(const Site& at, int64_t n, at::ScalarType wide) const {
    const auto x_BQK = interpolated(at, n, wide);
    const auto x_P = x_BQK.flatten();
    at::Tensor bias_PH;
    if (at::GradMode::is_enabled()) {
      bias_PH = network_of(n, x_P, wide);
    } else {
      bias_PH = at::empty({x_P.numel(), weight_out_NHU_.size(1)}, x_P.options());
      for (int64_t begin = 0; begin < x_P.numel(); begin += kPairsAtOnce) {
        const int64_t count = std::min(kPairsAtOnce, x_P.numel() - begin);
        bias_PH.narrow(0, begin, count).copy_(network_of(n, x_P.narrow(0, begin, count), wide));
      }
    }
    return bias_PH.view({x_BQK.size(0), x_BQK.size(1), x_BQK.size(2), -1}).permute({0, 3, 1, 2});
  }

  bool causal_, per_layer_;
  double threshold_;
  at::Tensor c_N_, multiplier_N_, weight_in_NU_, bias_in_NU_, weight_out_NHU_, bias_out_NH_;  // N networks
};

}  // namespace

extern const EncodingInfo fire_encoding{
    .name = "fire",
    .summary = "a bias from a small network of distance relative to the query's position",
    .paper = "Li et al. 2024, arXiv:2310.04418",
    .golden = "the paper's listing: rows of queries 9 and 3",
    .read = [](ConfigNode& options, const ModelShape& shape) -> MakeEncoding {
      const int64_t mlp_width =
          options.integer("mlp_width", 32, {.min = 1, .max = 4096}, "hidden units of the network");
      const double threshold = options.number("threshold", 512, {.min = 0, .above_min = true},
                                              "queries before it are interpolated as if they stood there; learned");
      const bool per_layer = options.flag("per_layer", false, "a network of its own for every layer");
      return maker_of<Fire>(shape, mlp_width, threshold, per_layer);
    },
};

}  // namespace lw
