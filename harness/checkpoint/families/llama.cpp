// LLaMA 1 to 3, and every model that is stored as one (SmolLM, TinyLlama, Yi ...).
// Touvron et al. 2023, arXiv:2302.13971; grouped queries and rope scaling: arXiv:2307.09288, arXiv:2407.21783.
#include "harness/base/text.h"
#include "harness/checkpoint/family.h"
#include "harness/checkpoint/family_export.h"
#include "harness/checkpoint/gguf_family.h"

namespace lw {
namespace llama {

FamilyModel read(FamilyConfig& config, const TensorSource& source) {
  FamilyModel out;
  ModelConfig& m = out.model;
  read_shape(config, m, {4096, 32, 32, {}, 11008, {}, 32000});
  read_llama_layers(config, m, 1e-6);
  m.bias = config.flag({"attention_bias"}, false);
  m.ffn_bias = config.flag({"mlp_bias"}, false);
  m.tied_embeddings = read_tying(config, source, "lm_head.weight", "embed_tokens.weight", false);
  read_rotary_position(config, out, 2048);
  return out;
}

WeightMap names(const FamilyModel& model) { return map_of(llama_names(), model); }

void export_as(const FamilyModel& model, ConfigWriter& config) {
  export_class(config, "LlamaForCausalLM");
  export_llama_layers(model.model, config);
  config.set("attention_bias", model.model.qkv_bias.value_or(model.model.bias));
  config.set("mlp_bias", model.model.ffn_bias.value_or(model.model.bias));
  export_rope(model, config);
}

void from_gguf(GgufConfig& gguf) {
  gguf.rms_norm();
  gguf.rope();
  gguf.keys().require(!gguf.keys().has("expert_count"), "expert_count",
                      found_what("a mixture of experts").allowed("one feed-forward"));
  gguf.attention_bias();
  gguf.config().set("mlp_bias", gguf.has_tensor("blk.0.ffn_up.bias"));
}

}  // namespace llama

extern const Family llama_family{
    .name = "llama",
    .summary = "LLaMA: RMSNorm, gated SiLU, RoPE, grouped queries",
    .read = llama::read,
    .names = llama::names,
    .export_as = llama::export_as,
    .architecture = "llama",
    .from_gguf = llama::from_gguf,
    .gguf_names = [](DecoderNames& names, const TensorSource&) { names.interleaved_rope = true; },
};

}  // namespace lw
