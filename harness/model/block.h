// One transformer block: attention and feed-forward layers with their norms and residual sums.
#pragma once
#include <memory>
#include <optional>

#include "harness/model/attention_layer.h"
#include "harness/model/feed_forward.h"

namespace lw {

class Block : public Module {
 public:
  Block(const ModelConfig& config, int64_t layer);
  /// @param x_BTD residual stream.
  /// @param only_BQ when defined, int64 indices into T: queries and the feed-forward layer are computed for these
  ///                tokens alone.
  /// @returns [B, T, D], or [B, Q, D].
  at::Tensor forward(const at::Tensor& x_BTD, const Pass& pass, LayerCache* cache, const at::Tensor& only_BQ);
  void reset_parameters(Rng& rng);

 private:
  at::Tensor forward_post_norm(const at::Tensor& x_BTD, const Pass& pass, LayerCache* cache,
                               const at::Tensor& only_BQ) const;

  ModelConfig config_;
  std::shared_ptr<Norm> attention_norm_, attention_out_norm_, cross_norm_, ffn_norm_, ffn_out_norm_;
  std::optional<AttentionLayer> attention_, cross_;
  std::optional<FeedForward> ffn_;
};

}  // namespace lw
