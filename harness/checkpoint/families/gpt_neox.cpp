// GPT-NeoX and Pythia. Black et al. 2022, arXiv:2204.06745; Biderman et al. 2023, arXiv:2304.01373: a quarter of
// each head is rotated, and attention and feed-forward read the same residual.
#include "harness/checkpoint/family.h"

namespace lw {
namespace {

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

WeightMap names(const FamilyModel& model, const TensorSource&) {
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

}  // namespace

extern const Family gpt_neox_family{"gpt_neox", "GPT-NeoX and Pythia: partial RoPE, parallel residual", "gptneox", read,
                                    names};

}  // namespace lw
