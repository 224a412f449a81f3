#include "harness/model/norm.h"

#include <ATen/ops/layer_norm.h>

#include "encodings/parts/precision.h"

namespace lw {

Norm::Norm(const ModelConfig& config, int64_t width)
    : kind_(config.norm), eps_(config.norm_eps), unit_offset_(config.norm_unit_offset) {
  weight_ = register_parameter("weight", unit_offset_ ? at::zeros({width}) : at::ones({width}));
  if (kind_ == NormKind::kLayerNorm && config.norm_bias) bias_ = register_parameter("bias", at::zeros({width}));
}

at::Tensor Norm::forward(const at::Tensor& x) const {
  if (kind_ == NormKind::kLayerNorm)
    return at::layer_norm(x, {x.size(-1)}, (unit_offset_ ? weight_ + 1 : weight_).to(x.scalar_type()),
                          bias_.defined() ? bias_.to(x.scalar_type()) : bias_, eps_);
  const auto wide = x.to(wide_type(x));
  const auto scaled = wide * (wide.square().mean(-1, true) + eps_).rsqrt();
  if (unit_offset_) return (scaled * (weight_.to(wide.scalar_type()) + 1)).to(x.scalar_type());
  return scaled.to(x.scalar_type()) * weight_;
}

}  // namespace lw
