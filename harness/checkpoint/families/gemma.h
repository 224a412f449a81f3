// What the generations of Gemma share.
#pragma once
#include "harness/checkpoint/family.h"

namespace lw {

void read_gemma(FamilyConfig& config, const TensorSource& source, ModelConfig& model, const ShapeDefaults& defaults);

/// Norms on both sides of each sub-layer, the scale of the logits, and soft-caps; null switches a cap off.
void read_gemma2_blocks(FamilyConfig& config, ModelConfig& model, double attention_cap, double logit_cap);
DecoderNames gemma2_names();

}  // namespace lw
