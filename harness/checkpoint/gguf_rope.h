// Rotary settings of a GGUF file's metadata and tensors, as the keys that a config.json would have.
#pragma once
#include "harness/checkpoint/config_writer.h"
#include "harness/checkpoint/family_config.h"
#include "harness/checkpoint/tensor_source.h"

namespace lw {

/// What the settings depend on.
struct GgufRopeShape {
  int64_t context = 0;     // tokens
  int64_t head_width = 0;  // channels
  bool part = false;       // the family rotates part of each head, and states the share even where it is 1
};

/// Adds rope_theta, partial_rotary_factor and rope_scaling to `config`.
/// @param keys metadata without the architecture before them: "rope.freq_base". @throws Error(kInput).
void read_gguf_rope(FamilyConfig& keys, const TensorSource& source, const GgufRopeShape& shape, ConfigWriter& config);

}  // namespace lw
