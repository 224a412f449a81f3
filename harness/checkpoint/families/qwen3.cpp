// Qwen3. Yang et al. 2025, arXiv:2505.09388: heads of 128 whatever the width, queries and keys normalised per
// head before they are rotated, no biases.
#include "harness/checkpoint/families/qwen.h"

namespace lw {
namespace {

FamilyModel read(FamilyConfig& config, const TensorSource& source) {
  FamilyModel out = read_qwen(config, source, 128);
  out.model.qk_norm = true;
  const bool bias = config.flag({"attention_bias"}, false);
  out.model.qkv_bias = bias;
  out.model.output_bias = bias;
  return out;
}

WeightMap names(const FamilyModel& model, const TensorSource&) { return map_of(llama_names(), model); }

}  // namespace

extern const Family qwen3_family{"qwen3", "Qwen3: normalised queries and keys", "qwen3", read, names};

}  // namespace lw
