// GPT-NeoX and Pythia. Black et al. 2022, arXiv:2204.06745; Biderman et al. 2023, arXiv:2304.01373: a quarter of
// each head is rotated, and attention and feed-forward read the same residual.
#include "harness/checkpoint/family.h"
#include "harness/checkpoint/family_export.h"
#include "harness/checkpoint/gguf_family.h"

namespace lw {
namespace gpt_neox {

FamilyModel read(FamilyConfig& config, const TensorSource& source) {
  FamilyModel out;
  ModelConfig& m = out.model;
  read_shape(config, m, {6144, 44, 64, {}, 24576, {}, 50432});
  m.norm_eps = config.number({"layer_norm_eps"}, 1e-5);
  m.activation = read_activation(config, {"hidden_act"}, "gelu");
  m.parallel = config.flag({"use_parallel_residual"}, true);
  m.bias = config.flag({"attention_bias"}, true);
  m.ffn_bias = true;
  m.tied_embeddings = read_tying(config, source, "embed_out.weight", "embed_in.weight", false);
  RopeDefaults defaults;
  defaults.parts = true;
  defaults.partial = 0.25;
  defaults.theta_keys = {"rope_theta", "rotary_emb_base"};
  defaults.partial_keys = {"partial_rotary_factor", "rotary_pct"};
  read_rotary_position(config, out, 2048, defaults);
  return out;
}

WeightMap names(const FamilyModel& model) {
  DecoderNames n;
  n.prefix = "gpt_neox.";
  n.embedding = "embed_in";
  n.layer = "layers.{}.";
  n.attention_norm = "input_layernorm";
  n.qkv = "attention.query_key_value";
  n.fused = FusedQkv::kPerHead;
  n.o = "attention.dense";
  n.ffn_norm = "post_attention_layernorm";
  n.up = "mlp.dense_h_to_4h";
  n.down = "mlp.dense_4h_to_h";
  n.norm = "final_layer_norm";
  n.head = "embed_out";
  n.ignored = {"*.attention.bias", "*.attention.masked_bias", "*.rotary_emb.inv_freq"};
  return map_of(n, model);
}

void export_as(const FamilyModel& model, ConfigWriter& config) {
  const ModelConfig& m = model.model;
  export_class(config, "GPTNeoXForCausalLM");
  export_shape(m, config);
  config.set("layer_norm_eps", m.norm_eps);
  config.set("hidden_act", activation_name(m.activation));
  config.set("use_parallel_residual", m.parallel);
  config.set("attention_bias", m.qkv_bias.value_or(m.bias));
  export_rope(model, config);
}

void from_gguf(GgufConfig& gguf) {
  gguf.layer_norm("layer_norm_eps");
  gguf.rope(/*part=*/true);
  gguf.config().set("use_parallel_residual", gguf.keys().flag({"use_parallel_residual"}, true));
}

}  // namespace gpt_neox

extern const Family gpt_neox_family{
    .name = "gpt_neox",
    .summary = "GPT-NeoX and Pythia: partial RoPE, parallel residual",
    .read = gpt_neox::read,
    .names = gpt_neox::names,
    .export_as = gpt_neox::export_as,
    .architecture = "gptneox",
    .from_gguf = gpt_neox::from_gguf,
};

}  // namespace lw
