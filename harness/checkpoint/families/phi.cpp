// Phi-1, Phi-1.5 and Phi-2. Gunasekar et al. 2023, arXiv:2306.11644; Li et al. 2023, arXiv:2309.05463: attention and
// feed-forward read the same norm, part of each head is rotated, and the output weights have a bias.
#include "harness/checkpoint/family.h"
#include "harness/checkpoint/family_export.h"
#include "harness/checkpoint/gguf_family.h"

namespace lw {
namespace phi {

FamilyModel read(FamilyConfig& config, const TensorSource& source) {
  FamilyModel out;
  ModelConfig& m = out.model;
  read_shape(config, m, {2048, 24, 32, {}, 8192, {}, 51200});
  m.norm_eps = config.number({"layer_norm_eps"}, 1e-5);
  m.activation = read_activation(config, {"hidden_act"}, "gelu_new");
  m.parallel = true;
  m.shared_norm = true;
  m.qk_norm = config.flag({"qk_layernorm"}, false);
  m.tied_embeddings = read_tying(config, source, "lm_head.weight", "embed_tokens.weight", false);
  m.head_bias = true;
  RopeDefaults defaults;
  defaults.parts = true;
  defaults.partial = 0.5;
  read_rotary_position(config, out, 2048, defaults);
  return out;
}

WeightMap names(const FamilyModel& model) {
  DecoderNames n = llama_names();
  n.o = "self_attn.dense";
  n.q_norm = "self_attn.q_layernorm";
  n.k_norm = "self_attn.k_layernorm";
  n.up = "mlp.fc1";
  n.down = "mlp.fc2";
  n.norm = "final_layernorm";
  return map_of(n, model);
}

void export_as(const FamilyModel& model, ConfigWriter& config) {
  const ModelConfig& m = model.model;
  export_class(config, "PhiForCausalLM");
  export_shape(m, config);
  config.set("num_key_value_heads", m.kv_heads);
  config.set("layer_norm_eps", m.norm_eps);
  config.set("hidden_act", activation_name(m.activation));
  config.set("qk_layernorm", m.qk_norm);
  export_rope(model, config);
}

void from_gguf(GgufConfig& gguf) {
  gguf.layer_norm("layer_norm_eps");
  gguf.rope(/*part=*/true);
}

}  // namespace phi

extern const Family phi_family{
    .name = "phi",
    .summary = "Phi 1 to 2: parallel residual with one norm, partial RoPE",
    .read = phi::read,
    .names = phi::names,
    .export_as = phi::export_as,
    .architecture = "phi2",
    .from_gguf = phi::from_gguf,
};

}  // namespace lw
