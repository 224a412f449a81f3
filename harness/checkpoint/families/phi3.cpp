// Phi-3. Abdin et al. 2024, arXiv:2404.14219: LLaMA with fused projections and LongRoPE.
#include "harness/checkpoint/family.h"
#include "harness/checkpoint/family_export.h"
#include "harness/checkpoint/gguf_family.h"
#include "harness/checkpoint/layer_position.h"

namespace lw {
namespace phi3 {

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
  defaults.original = 4096;  // as in transformers, which ignores max_position_embeddings here
  defaults.yarn_is_longrope = true;
  read_rotary_position(config, out, 4096, defaults);
  return out;
}

WeightMap names(const FamilyModel& model) {
  DecoderNames n = llama_names();
  n.qkv = "self_attn.qkv_proj";
  n.gate_up = "mlp.gate_up_proj";
  return map_of(n, model);
}

void export_as(const FamilyModel& model, ConfigWriter& config) {
  export_class(config, "Phi3ForCausalLM");
  export_llama_layers(model.model, config);
  if (const int64_t window = widest_window(model.model); window > 0)
    config.set("sliding_window", window);
  else
    config.set_null("sliding_window");
  export_rope(model, config);
  const int64_t original = original_context_of(layer_position(model.position, 0), model.train_length);
  if (original > 0) config.set("original_max_position_embeddings", original);
}

void from_gguf(GgufConfig& gguf) {
  gguf.rms_norm();
  gguf.rope();
  const auto window = gguf.keys().optional_whole({"attention.sliding_window"}, 0).value_or(0);
  if (window > 0 && window < gguf.context) gguf.config().set("sliding_window", window);
}

}  // namespace phi3

extern const Family phi3_family{
    .name = "phi3",
    .summary = "Phi-3: LLaMA with fused projections, LongRoPE",
    .read = phi3::read,
    .names = phi3::names,
    .export_as = phi3::export_as,
    .architecture = "phi3",
    .from_gguf = phi3::from_gguf,
    .gguf_names = [](DecoderNames& names, const TensorSource&) { names.gate_up = "ffn_up"; },
};

}  // namespace lw
