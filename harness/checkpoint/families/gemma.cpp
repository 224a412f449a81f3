// Gemma. Gemma Team 2024, arXiv:2403.08295: heads of 256 whatever the width, norms by 1 + w, embeddings times
// sqrt(width) in the weights' type, gated tanh GELU, tied output weights.
#include "harness/checkpoint/families/gemma.h"

#include <cmath>

namespace lw {
namespace {

FamilyModel read(FamilyConfig& config, const TensorSource& source) {
  FamilyModel out;
  read_gemma(config, source, out.model, {3072, 28, 16, 16, 24576, 256, 256000});
  // Files of the first release say "gelu" and mean its tanh form: transformers reads them so.
  const auto stated = config.text({"hidden_activation"}, config.text({"hidden_act"}, "gelu_pytorch_tanh"));
  config.require(stated == "gelu" || stated == "gelu_pytorch_tanh" || stated == "gelu_new", "hidden_activation",
                 "found '" + stated + "'; allowed: gelu_pytorch_tanh, or gelu, which means it here");
  out.model.activation = Activation::kGeluTanh;
  read_rotary_position(config, out, 8192);
  return out;
}

WeightMap names(const FamilyModel& model, const TensorSource&) { return map_of(llama_names(), model); }

}  // namespace

void read_gemma(FamilyConfig& config, const TensorSource& source, ModelConfig& m, const ShapeDefaults& defaults) {
  read_shape(config, m, defaults);
  m.norm = NormKind::kRmsNorm;
  m.norm_eps = config.number({"rms_norm_eps"}, 1e-6);
  m.norm_unit_offset = true;
  m.gated = true;
  m.bias = config.flag({"attention_bias"}, false);
  m.ffn_bias = false;
  m.embedding_scale = std::sqrt(static_cast<double>(m.width));
  m.tied_embeddings = read_tying(config, source, "lm_head.weight", "embed_tokens.weight", true);
  config.only("use_bidirectional_attention", false, "the model is causal here");
}

void read_gemma2_blocks(FamilyConfig& config, ModelConfig& m, double attention_cap, double logit_cap) {
  m.activation = read_activation(config, {"hidden_activation", "hidden_act"}, "gelu_pytorch_tanh");
  m.norm_placement = NormPlacement::kSandwich;
  const double scalar = config.number({"query_pre_attn_scalar"}, 256.0);
  config.require(scalar > 0, "query_pre_attn_scalar", "found " + std::to_string(scalar) + "; allowed: above 0");
  m.attention_scale = 1.0 / std::sqrt(scalar);
  const auto cap = [&](const char* key, double fallback) {
    return config.nulled(key) ? 0.0 : config.number({key}, fallback);
  };
  m.attention_softcap = cap("attn_logit_softcapping", attention_cap);
  m.logit_softcap = cap("final_logit_softcapping", logit_cap);
}

DecoderNames gemma2_names() {
  DecoderNames n = llama_names();
  n.attention_output_norm = "post_attention_layernorm";
  n.ffn_norm = "pre_feedforward_layernorm";
  n.ffn_output_norm = "post_feedforward_layernorm";
  return n;
}

extern const Family gemma_family{"gemma", "Gemma: norms by 1 + w, scaled embeddings", "gemma", read, names};

}  // namespace lw
