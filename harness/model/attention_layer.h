// One attention layer: the projections of queries, keys, values and output around attend().
#pragma once
#include <memory>
#include <string>

#include "harness/model/attention.h"
#include "harness/model/linear.h"
#include "harness/model/norm.h"

namespace lw {

/// What all layers of one forward pass share.
struct Pass {
  at::Tensor pos_BT;  // int64; B may be 1 for all rows alike
  PositionEncoding& encoding;
  PassMemo& memo;
  int64_t tile = 0;       // see attend()
  at::Tensor memory_BSD;  // the encoder's output, for cross attention
};

/// Rows of x_BTD at index_BQ: [B, Q, D].
[[nodiscard]] at::Tensor pick(const at::Tensor& x_BTD, const at::Tensor& index_BQ);

class AttentionLayer {
 public:
  /// Registers its layers with `owner` as <prefix>q_proj, k_proj, v_proj, o_proj, and q_norm, k_norm.
  AttentionLayer(Module& owner, const ModelConfig& config, int64_t layer, const std::string& prefix = "");
  /// Self-attention. @param only_BQ when defined, indices into T: the only tokens that are queries. [B, T or Q, D]
  at::Tensor forward(const at::Tensor& x_BTD, const Pass& pass, LayerCache* cache, const at::Tensor& only_BQ) const;
  /// Attention to pass.memory_BSD, without positions and without a mask. [B, Q, D]
  at::Tensor across(const at::Tensor& x_BQD, const Pass& pass, LayerCache* cache) const;
  void reset_inner(Rng& rng, double std);
  void reset_output(Rng& rng, double std);

 private:
  at::Tensor queries(const at::Tensor& x_BQD) const;
  at::Tensor keys(const at::Tensor& x_BTD) const;
  at::Tensor values(const at::Tensor& x_BTD) const;
  at::Tensor output(const at::Tensor& out_BHQE) const;
  at::Tensor clipped(const at::Tensor& x) const;
  at::Tensor for_all_heads(const at::Tensor& x_BHTE) const;

  int64_t layer_, heads_, kv_heads_, window_;
  bool causal_;
  double clip_, softcap_;
  double query_factor_;  // turns the 1 / sqrt(head_width) of attend() into the scale of this model
  std::shared_ptr<Linear> q_proj_, k_proj_, v_proj_, o_proj_;
  std::shared_ptr<Norm> q_norm_, k_norm_;
};

}  // namespace lw
