// Layer and RMS normalisation over the last dimension.
#pragma once
#include "encodings/module.h"
#include "harness/model/model_config.h"

namespace lw {

/// Ba et al. 2016, arXiv:1607.06450; Zhang and Sennrich 2019, arXiv:1910.07467. RMS normalisation works in float32. It
/// is rounded before the product with the weight (LLaMA), or after it where the factor is 1 + weight (Gemma).
class Norm : public Module {
 public:
  /// @param width of the last dimension: that of the model, or of a head.
  Norm(const ModelConfig& config, int64_t width);
  at::Tensor forward(const at::Tensor& x) const;

 private:
  NormKind kind_;
  double eps_;
  bool unit_offset_;
  at::Tensor weight_, bias_;
};

}  // namespace lw
