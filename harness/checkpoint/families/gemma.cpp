// Gemma. Gemma Team 2024, arXiv:2403.08295: heads of 256 at every width, norms by 1 + w, embeddings times sqrt(width)
// in the weights' type, gated tanh GELU, tied output weights.
#include "harness/checkpoint/families/gemma.h"

#include <cmath>

#include "harness/base/text.h"
#include "harness/checkpoint/family_export.h"
#include "harness/checkpoint/gguf_family.h"

namespace lw {
namespace gemma {

FamilyModel read(FamilyConfig& config, const TensorSource& source) {
  FamilyModel out;
  read_gemma(config, source, out.model, {3072, 28, 16, 16, 24576, 256, 256000});
  // Files of the first release say "gelu" and mean its tanh form; transformers reads them so too.
  const auto stated = config.text({"hidden_activation"}, config.text({"hidden_act"}, "gelu_pytorch_tanh"));
  config.require(stated == "gelu" || stated == "gelu_pytorch_tanh" || stated == "gelu_new", "hidden_activation",
                 found(stated).allowed("gelu_pytorch_tanh, or gelu, which means it here"));
  out.model.activation = Activation::kGeluTanh;
  read_rotary_position(config, out, 8192);
  return out;
}

WeightMap names(const FamilyModel& model) { return map_of(llama_names(), model); }

void export_as(const FamilyModel& model, ConfigWriter& config) {
  export_class(config, "GemmaForCausalLM");
  export_gemma(model.model, config);
  config.set("hidden_act", "gelu_pytorch_tanh");
  export_rope(model, config);
}

void from_gguf(GgufConfig& gguf) {
  gguf.rms_norm();
  gguf.rope();
}

}  // namespace gemma

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
  config.require(scalar > 0, "query_pre_attn_scalar", found(scalar).allowed("above 0"));
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

void export_gemma(const ModelConfig& m, ConfigWriter& config) {
  export_llama_layers(m, config);
  config.erase("hidden_act");
  config.set("hidden_activation",
             m.activation == Activation::kGeluTanh ? "gelu_pytorch_tanh" : activation_name(m.activation));
  config.set("attention_bias", m.qkv_bias.value_or(m.bias));
}

void export_gemma2_blocks(const ModelConfig& m, ConfigWriter& config) {
  const double scale = m.attention_scale.value_or(1.0 / std::sqrt(static_cast<double>(m.head_width)));
  export_whole_or_number(config, "query_pre_attn_scalar", 1.0 / (scale * scale));
  const auto cap = [&](const char* key, double value) {
    if (value > 0)
      config.set(key, value);
    else
      config.set_null(key);
  };
  cap("attn_logit_softcapping", m.attention_softcap);
  cap("final_logit_softcapping", m.logit_softcap);
  if (widest_window(m) > 0) config.set("sliding_window", widest_window(m));
  config.set("layer_types", layer_types(m));
}

void read_gemma2_gguf(GgufConfig& gguf, int64_t layers_of_largest) {
  gguf.config().set("sliding_window", gguf.keys().whole({"attention.sliding_window"}, std::nullopt));
  const bool largest = gguf.layers == layers_of_largest;
  gguf.config().set("query_pre_attn_scalar", largest ? static_cast<double>(gguf.width) / static_cast<double>(gguf.heads)
                                                     : static_cast<double>(gguf.head_width));
  for (const char* key : {"attn_logit_softcapping", "final_logit_softcapping"}) {
    const double cap = gguf.keys().optional_number({key}).value_or(0);
    if (cap > 0)
      gguf.config().set(key, cap);
    else
      gguf.config().set_null(key);
  }
}

extern const Family gemma_family{
    .name = "gemma",
    .summary = "Gemma: norms by 1 + w, scaled embeddings",
    .read = gemma::read,
    .names = gemma::names,
    .export_as = gemma::export_as,
    .architecture = "gemma",
    .from_gguf = gemma::from_gguf,
    .gguf_names = [](DecoderNames& names, const TensorSource&) { names.norm_plus_one = true; },
    .needs_bos = true,
};

}  // namespace lw
