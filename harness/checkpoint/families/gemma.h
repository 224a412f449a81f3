// What the generations of Gemma share.
#pragma once
#include "harness/checkpoint/family.h"

namespace lw {

void read_gemma(FamilyConfig& config, const TensorSource& source, ModelConfig& model, const ShapeDefaults& defaults);

/// Norms on both sides of each sub-layer, the scale of the logits, and soft-caps; null switches a cap off.
void read_gemma2_blocks(FamilyConfig& config, ModelConfig& model, double attention_cap, double logit_cap);
DecoderNames gemma2_names();

// For exports.
void export_gemma(const ModelConfig& model, ConfigWriter& config);
void export_gemma2_blocks(const ModelConfig& model, ConfigWriter& config);

/// Window, scale of the logits and soft-caps. @param layers_of_largest the largest model of a generation scales by
/// width over heads; its number of layers identifies it.
void read_gemma2_gguf(GgufConfig& gguf, int64_t layers_of_largest);

}  // namespace lw
