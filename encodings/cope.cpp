// CoPE: positions counted by content. Each key's position is how many gates are open from it to the query, and the bias
// is interpolated between learned vectors of whole positions.
// Golovneva et al. 2024, "Contextual Position Encoding: Learning to Count What's Important", arXiv:2405.18719, section
// 4 and the listing in the appendix:
//   g_ij = sigmoid(q_i . k_j / sqrt(E)) for j <= i, 0 ahead;  p_ij = min(g_ij + ... + g_ii, npos - 1);
//   bias_ij = q_i . E[p_ij], linear between floor(p) and ceil(p). The token itself stands at g_ii, not at 0.
// Peers disagree. Gates: the paper's equation 3 has no 1/sqrt(E); its listing and the authors' code (RAM) do:
// `gate_logits`. Bias: the paper's listing, and RAM with --cope-nodiv, add it undivided; RAM without that flag divides
// it by sqrt(E) with the rest of the logit: `nodiv`.
// One table per layer, shared by its heads. RAM starts it at zero, where gates have no gradient; here it is drawn from
// a normal distribution with standard deviation 0.02.
// Causal only: without a mask there is no end to count from. Keys are counted in storage order, so sequences packed
// into one row must be masked from one another.
#include <ATen/ops/lerp.h>

#include <cmath>
#include <string>
#include <vector>

#include "encodings/parts/facts.h"
#include "encodings/parts/parameters.h"
#include "encodings/parts/precision.h"
#include "encodings/position_encoding.h"
#include "harness/base/config.h"
#include "harness/base/rng.h"
#include "harness/base/text.h"

namespace lw {
namespace {

constexpr double kCopeInitStd = 0.02;

/// Whether gates see scaled logits.
const NamedValues<bool> kCopeGateLogits = {{true, "listing", "with 1/sqrt(E), as the paper's listing and RAM"},
                                           {false, "equation", "without 1/sqrt(E), as the paper's equation 3"}};

struct CopeOptions {
  int64_t npos = 64;
  bool scaled_gates = true;
  bool nodiv = true;
};

class Cope final : public PositionEncoding {
 public:
  Cope(const ModelShape& shape, const CopeOptions& options) : options_(options) {
    table_LEP_ = register_parameter("pos_emb", at::zeros({shape.layers, shape.head_width, options.npos}));
  }

  at::Tensor adjust_logits(const at::Tensor& logits_BHQK, const at::Tensor& q_BHQE, const at::Tensor&,
                           const Site& at) override {
    const auto wide = wide_type(logits_BHQK);
    const auto logits = logits_BHQK.to(wide);
    const double root = std::sqrt(double(q_BHQE.size(-1)));
    const auto pos_BHQK = counted(options_.scaled_gates ? logits : logits * root, at);
    const auto score_BHQP = at::matmul(q_BHQE.to(wide), table_LEP_.select(0, at.layer).to(wide));
    const auto below_BHQK = pos_BHQK.detach().floor(), share_BHQK = pos_BHQK - below_BHQK;
    const auto index_BHQK = below_BHQK.to(at::kLong);
    const auto low_BHQK = score_BHQP.gather(-1, index_BHQK);
    const auto high_BHQK = score_BHQP.gather(-1, (index_BHQK + 1).clamp_max(options_.npos - 1));
    const auto bias_BHQK = at::lerp(low_BHQK, high_BHQK, share_BHQK);
    return logits + (options_.nodiv ? bias_BHQK : bias_BHQK / root);
  }

  bool shift_invariant() const override { return true; }

  std::vector<CardFact> facts(int64_t) const override {
    return {number_fact("npos", double(options_.npos)),
            text_fact("gate_logits", name_of(kCopeGateLogits, options_.scaled_gates)),
            flag_fact("nodiv", options_.nodiv)};
  }

  void reset_parameters(Rng& rng) override {
    Rng stream = rng.stream("pos_emb");
    draw_normal(table_LEP_, kCopeInitStd, stream);
  }

 private:
  /// Open gates from each key to the query, 0 .. npos - 1.
  at::Tensor counted(const at::Tensor& gate_logits_BHQK, const Site& at) const {
    const auto shut_BQK = at.once({this}, at.query_pos_BQ, at.key_pos_BK, [&] {
      const auto key_B1K = at.key_pos_BK.unsqueeze(-2);
      return (key_B1K > at.query_pos_BQ.unsqueeze(-1)).logical_or(key_B1K <= kPadding);
    });
    const auto gate_BHQK = gate_logits_BHQK.sigmoid().masked_fill(shut_BQK.unsqueeze(1), 0);
    return gate_BHQK.flip(-1).cumsum(-1).flip(-1).clamp_max(double(options_.npos - 1));
  }

  CopeOptions options_;
  at::Tensor table_LEP_;  // layer, head width, position
};

MakeEncoding read_cope(ConfigNode& node, const ModelShape& shape) {
  node.require(
      shape.causal, "scheme",
      found("cope", " in a model without a causal mask, where there is no token to count from").allowed("a decoder"));
  CopeOptions options;
  options.npos = node.integer("npos", 64, {.min = 2, .max = 1 << 20}, "whole positions that have a vector");
  options.scaled_gates =
      node.choice("gate_logits", kCopeGateLogits, true, "what opens a gate: q . k with or without its scale");
  options.nodiv = node.flag("nodiv", true, "add the bias after the division by sqrt(E), as RAM's --cope-nodiv");
  return maker_of<Cope>(shape, options);
}

}  // namespace

extern const EncodingInfo cope_encoding{
    .name = "cope",
    .summary = "positions counted by gates that content opens",
    .paper = "Golovneva et al. 2024, arXiv:2405.18719",
    .golden = "RAM: positions and biases of a row of four",
    .read = read_cope,
};

}  // namespace lw
