// Qwen2 and Qwen2.5. Yang et al. 2024, arXiv:2407.10671: LLaMA with biases on queries, keys and values, always;
// no key of config.json says so.
#include "harness/checkpoint/families/qwen.h"
#include "harness/checkpoint/family_export.h"
#include "harness/checkpoint/gguf_family.h"

namespace lw {
namespace qwen2 {

FamilyModel read(FamilyConfig& config, const TensorSource& source) {
  FamilyModel out = read_qwen(config, source, std::nullopt);
  out.model.qkv_bias = true;
  out.model.output_bias = false;
  return out;
}

WeightMap names(const FamilyModel& model) { return map_of(llama_names(), model); }

void export_as(const FamilyModel& model, ConfigWriter& config) {
  export_class(config, "Qwen2ForCausalLM");
  export_qwen(model, config);
}

void from_gguf(GgufConfig& gguf) {
  gguf.rms_norm();
  gguf.rope();
}

}  // namespace qwen2

FamilyModel read_qwen(FamilyConfig& config, const TensorSource& source, std::optional<int64_t> head_width) {
  FamilyModel out;
  ModelConfig& m = out.model;
  read_shape(config, m, {4096, 32, 32, 32, 22016, head_width, 151936});
  read_llama_layers(config, m, 1e-6);
  m.tied_embeddings = read_tying(config, source, "lm_head.weight", "embed_tokens.weight", false);
  const bool slides = config.flag({"use_sliding_window"}, false);
  const auto stated = config.optional_whole({"sliding_window"});
  const int64_t from = config.whole({"max_window_layers"}, 28, 0);
  const auto window = slides ? std::optional(stated.value_or(4096)) : std::nullopt;
  m.windows = read_layer_windows(
      config, m.layers, window, [](int64_t layer, int64_t first) { return layer >= first; }, from);
  read_rotary_position(config, out, 32768);
  return out;
}

void export_qwen(const FamilyModel& model, ConfigWriter& config) {
  export_llama_layers(model.model, config);
  export_layer_windows(model.model, config);
  export_rope(model, config);
}

extern const Family qwen2_family{
    .name = "qwen2",
    .summary = "Qwen2: LLaMA with biases on queries, keys and values",
    .read = qwen2::read,
    .names = qwen2::names,
    .export_as = qwen2::export_as,
    .architecture = "qwen2",
    .from_gguf = qwen2::from_gguf,
};

}  // namespace lw
