// LLaMA 1 to 3, and every model that is stored as one (SmolLM, TinyLlama, Yi ...).
// Touvron et al. 2023, arXiv:2302.13971; grouped queries and rope scaling: arXiv:2307.09288, arXiv:2407.21783.
#include "harness/checkpoint/family.h"

namespace lw {
namespace {

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

WeightMap names(const FamilyModel& model, const TensorSource&) { return map_of(llama_names(), model); }

}  // namespace

extern const Family llama_family{"llama", "LLaMA: RMSNorm, gated SiLU, RoPE, grouped queries", "llama", read, names};

}  // namespace lw
