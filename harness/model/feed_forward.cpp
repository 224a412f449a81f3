#include "harness/model/feed_forward.h"

#include <ATen/ops/gelu.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/silu.h>

#include "encodings/tensor.h"
#include "harness/base/error.h"

namespace lw {

at::Tensor activate(Activation kind, const at::Tensor& x) {
  switch (kind) {
    case Activation::kGelu:
      return at::gelu(x);
    case Activation::kGeluTanh:
      return at::gelu(x, "tanh");
    case Activation::kRelu:
      return at::relu(x);
    case Activation::kSilu:
      return at::silu(x);
  }
  LW_CHECK(false, "an activation without a function");
  return x;
}

FeedForward::FeedForward(Module& owner, const ModelConfig& c) : activation_(c.activation) {
  const bool bias = c.ffn_bias.value_or(c.bias);
  if (c.gated) gate_proj_ = owner.register_module("gate_proj", std::make_shared<Linear>(c.width, c.ffn, bias));
  up_proj_ = owner.register_module("up_proj", std::make_shared<Linear>(c.width, c.ffn, bias));
  down_proj_ = owner.register_module("down_proj", std::make_shared<Linear>(c.ffn, c.width, bias));
}

at::Tensor FeedForward::forward(const at::Tensor& x) const {
  if (!gate_proj_) return down_proj_->forward(activate(activation_, up_proj_->forward(x)));
  return down_proj_->forward(activate(activation_, gate_proj_->forward(x)) * up_proj_->forward(x));
}

void FeedForward::reset_inner(Rng& rng, double std) {
  for (const auto& linear : {gate_proj_, up_proj_})
    if (linear) linear->reset_parameters(rng, std);
}

void FeedForward::reset_output(Rng& rng, double std) { down_proj_->reset_parameters(rng, std); }

}  // namespace lw
