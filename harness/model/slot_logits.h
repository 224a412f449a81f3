// Turns the hidden states of slots into logits, all at once or in parts.
#pragma once
#include <functional>

#include "encodings/tensor.h"

namespace lw {

class Transformer;

/// [..., V], formed in float32 or better from weights of any type: bfloat16 has steps of 1/16 at a logit of 10.
[[nodiscard]] at::Tensor wide_logits(const Transformer& model, const at::Tensor& hidden_D);

/// wide_logits() in parts along K, see Model::logits_in_parts.
void wide_logits_in_parts(const Transformer& model, const at::Tensor& h_BKD, int64_t most,
                          const std::function<void(int64_t first, const at::Tensor& logits_BkV)>& part);

}  // namespace lw
