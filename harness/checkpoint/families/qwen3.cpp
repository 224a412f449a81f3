// Qwen3. Yang et al. 2025, arXiv:2505.09388: heads of 128 at every width, queries and keys normalised per head before
// they are rotated, no biases.
#include "harness/checkpoint/families/qwen.h"
#include "harness/checkpoint/family_export.h"
#include "harness/checkpoint/gguf_family.h"

namespace lw {
namespace qwen3 {

FamilyModel read(FamilyConfig& config, const TensorSource& source) {
  FamilyModel out = read_qwen(config, source, 128);
  out.model.qk_norm = true;
  const bool bias = config.flag({"attention_bias"}, false);
  out.model.qkv_bias = bias;
  out.model.output_bias = bias;
  return out;
}

WeightMap names(const FamilyModel& model) { return map_of(llama_names(), model); }

void export_as(const FamilyModel& model, ConfigWriter& config) {
  export_class(config, "Qwen3ForCausalLM");
  export_qwen(model, config);
  config.set("attention_bias", model.model.qkv_bias.value_or(model.model.bias));
}

void from_gguf(GgufConfig& gguf) {
  gguf.rms_norm();
  gguf.rope();
  gguf.attention_bias();
}

}  // namespace qwen3

extern const Family qwen3_family{
    .name = "qwen3",
    .summary = "Qwen3: normalised queries and keys",
    .read = qwen3::read,
    .names = qwen3::names,
    .export_as = qwen3::export_as,
    .architecture = "qwen3",
    .from_gguf = qwen3::from_gguf,
};

}  // namespace lw
