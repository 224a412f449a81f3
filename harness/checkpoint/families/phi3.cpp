// Phi-3. Abdin et al. 2024, arXiv:2404.14219: LLaMA with fused projections and LongRoPE.
#include "harness/checkpoint/family.h"

namespace lw {
namespace {

FamilyModel read(FamilyConfig& config, const TensorSource& source) {
  FamilyModel out;
  ModelConfig& m = out.model;
  read_shape(config, m, {3072, 32, 32, {}, 8192, {}, 32064});
  read_llama_layers(config, m, 1e-5);
  m.tied_embeddings = read_tying(config, source, "lm_head.weight", "embed_tokens.weight", false);
  config.only("attention_bias", false, "transformers has no biases for Phi-3");
  if (const auto window = config.optional_whole({"sliding_window"}))
    m.windows.assign(static_cast<size_t>(m.layers), *window);
  RopeDefaults defaults;
  defaults.parts = true;
  defaults.original = 4096;  // transformers', whatever max_position_embeddings says
  defaults.yarn_is_longrope = true;
  read_rotary_position(config, out, 4096, defaults);
  return out;
}

WeightMap names(const FamilyModel& model, const TensorSource&) {
  DecoderNames n = llama_names();
  n.qkv = "self_attn.qkv_proj";
  n.gate_up = "mlp.gate_up_proj";
  return map_of(n, model);
}

}  // namespace

extern const Family phi3_family{"phi3", "Phi-3: LLaMA with fused projections, LongRoPE", "phi3", read, names};

}  // namespace lw
