// The RoPE settings of a config.json, in Hugging Face's old and new forms, as one neutral form.
//
// Old (transformers 4): rope_theta, partial_rotary_factor and rope_scaling at the top, rope_local_base_freq for
// sliding layers. New (5): one rope_parameters object, or one for each layer type. GPT-NeoX names them
// rotary_emb_base and rotary_pct. A file may carry both forms; where they disagree it is refused.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/formats/json_cursor.h"

namespace lw {

struct HfRope {
  std::string layers;                // "" for all, or a layer type: "full_attention", "sliding_attention"
  std::optional<double> rope_theta;  // absent: the family's default
  std::optional<double> partial_rotary_factor;
  std::string rope_type = "default";  // "su" is read as "longrope", its later name
  /// The length that the scaling starts from, where the file states one, in the block or (Phi-3) at the top.
  std::optional<int64_t> original_max_position_embeddings;
  /// rope_type and its options under Hugging Face's names, checked, without theta and partial factor; an empty
  /// object for "default". What stands at the top of the file is in it.
  SortedJson scaling = SortedJson::object();
};

/// One setting for all layers, or one for each layer type. Never empty; without any key one of type "default".
/// Types: default, linear, dynamic, yarn, longrope, llama3, proportional. An option that its type does not have
/// is refused when the cursor finishes.
/// @throws Error(kInput) for other types, missing or impossible options and forms that disagree.
std::vector<HfRope> read_hf_rope(JsonCursor& keys);

}  // namespace lw
