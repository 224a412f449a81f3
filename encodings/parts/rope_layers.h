// RoPE with its own settings for each type of layer, as Hugging Face's configs state them.
#pragma once
#include <functional>
#include <memory>

#include "encodings/parts/rope_rotation.h"
#include "encodings/position_encoding.h"

namespace lw {

/// Reads RoPE's options and, beside them, `layer_types` (a pattern over the layers), `rope_local_base_freq` and
/// `no_rope_layer_interval`. `scaling` may then hold one block for each layer type; a flat one leaves
/// sliding_attention layers unscaled. Where layers differ, each type of layer gets an encoding of its own, and layers
/// without positions get the scheme `none`. @param make builds an encoding from one rotation.
/// @throws Error(kConfig).
MakeEncoding read_rope_layers(ConfigNode& options, const ModelShape& shape,
                              const std::function<MakeEncoding(RopeRotation)>& make);

}  // namespace lw
