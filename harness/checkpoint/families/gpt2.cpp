// GPT-2. Radford et al. 2019: layer norm before each sub-layer, learned positions, tanh GELU, linear weights
// stored [in, out].
#include "harness/checkpoint/family.h"
#include "harness/checkpoint/family_export.h"
#include "harness/checkpoint/gguf_family.h"

namespace lw {
namespace gpt2 {

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

WeightMap names(const FamilyModel& model) {
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

void export_as(const FamilyModel& model, ConfigWriter& config) {
  const ModelConfig& m = model.model;
  export_class(config, "GPT2LMHeadModel");
  config.set("n_embd", m.width);
  config.set("n_layer", m.layers);
  config.set("n_head", m.heads);
  config.set("n_inner", m.ffn);
  config.set("layer_norm_epsilon", m.norm_eps);
  config.set("activation_function", activation_name(m.activation));
  config.set("scale_attn_weights", m.attention_scale != 1.0);
  config.set("scale_attn_by_inverse_layer_idx", m.attention_scale_by_layer);
  export_positions(model, "n_positions", config);
}

void from_gguf(GgufConfig& gguf) { gguf.layer_norm("layer_norm_epsilon"); }

}  // namespace gpt2

extern const Family gpt2_family{
    .name = "gpt2",
    .summary = "GPT-2: learned positions",
    .read = gpt2::read,
    .names = gpt2::names,
    .export_as = gpt2::export_as,
    .architecture = "gpt2",
    .from_gguf = gpt2::from_gguf,
    .gguf_names =
        [](DecoderNames& names, const TensorSource& source) {
          names.positions = source.has("pos_embd.weight") ? "pos_embd" : "position_embd";
        },
};

}  // namespace lw
