// GPT-2. Radford et al. 2019: layer norm before each sub-layer, learned positions, tanh GELU, linear weights
// stored [in, out].
#include "harness/checkpoint/family.h"

namespace lw {
namespace {

FamilyModel read(FamilyConfig& config, const TensorSource& source) {
  FamilyModel out;
  ModelConfig& m = out.model;
  read_shape(config, m, {768, 12, 12, {}, 0, {}, 50257});
  m.norm_eps = config.number({"layer_norm_epsilon"}, 1e-5);
  m.activation = read_activation(config, {"activation_function"}, "gelu_new");
  m.tied_embeddings = read_tying(config, source, "lm_head.weight", "wte.weight", true);
  if (!config.flag({"scale_attn_weights"}, true)) m.attention_scale = 1.0;
  m.attention_scale_by_layer = config.flag({"scale_attn_by_inverse_layer_idx"}, false);
  config.ignore({"reorder_and_upcast_attn"});  // the same numbers in another order; softmax is float32 here
  read_learned_position(config, out, 1024);
  return out;
}

WeightMap names(const FamilyModel& model, const TensorSource&) {
  DecoderNames n;
  n.prefix = "transformer.";
  n.embedding = "wte";
  n.positions = "wpe";
  n.layer = "h.{}.";
  n.attention_norm = "ln_1";
  n.qkv = "attn.c_attn";
  n.o = "attn.c_proj";
  n.ffn_norm = "ln_2";
  n.up = "mlp.c_fc";
  n.down = "mlp.c_proj";
  n.norm = "ln_f";
  n.head = "lm_head";
  n.transposed = true;
  n.ignored = {"*h.*.attn.bias", "*h.*.attn.masked_bias"};
  return map_of(n, model);
}

}  // namespace

extern const Family gpt2_family{"gpt2", "GPT-2: learned positions", "gpt2", read, names};

}  // namespace lw
