// The feed-forward half of a transformer block, gated or not.
#pragma once
#include <memory>

#include "harness/model/linear.h"
#include "harness/model/model_config.h"

namespace lw {

at::Tensor activate(Activation kind, const at::Tensor& x);

/// down(act(up(x))), or down(act(gate(x)) * up(x)) (Shazeer 2020, arXiv:2002.05202).
class FeedForward {
 public:
  /// Registers its layers with `owner` as gate_proj, up_proj and down_proj.
  FeedForward(Module& owner, const ModelConfig& config);
  at::Tensor forward(const at::Tensor& x) const;
  void reset_inner(Rng& rng, double std);
  void reset_output(Rng& rng, double std);

 private:
  Activation activation_;
  std::shared_ptr<Linear> gate_proj_, up_proj_, down_proj_;
};

}  // namespace lw
