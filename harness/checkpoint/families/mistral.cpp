// Mistral. Jiang et al. 2023, arXiv:2310.06825: LLaMA with grouped queries and a sliding window in every layer.
#include "harness/base/text.h"
#include "harness/checkpoint/family.h"
#include "harness/checkpoint/family_export.h"
#include "harness/checkpoint/gguf_family.h"

namespace lw {
namespace mistral {

FamilyModel read(FamilyConfig& config, const TensorSource& source) {
  FamilyModel out;
  ModelConfig& m = out.model;
  read_shape(config, m, {4096, 32, 32, 8, 14336, {}, 32000});
  read_llama_layers(config, m, 1e-6);
  m.tied_embeddings = read_tying(config, source, "lm_head.weight", "embed_tokens.weight", false);
  // null means no window, and only absence means the default.
  const auto window =
      config.nulled("sliding_window") ? std::nullopt : std::optional(config.whole({"sliding_window"}, 4096));
  if (window) m.windows.assign(static_cast<size_t>(m.layers), *window);
  read_rotary_position(config, out, 131072);
  return out;
}

WeightMap names(const FamilyModel& model) { return map_of(llama_names(), model); }

void export_as(const FamilyModel& model, ConfigWriter& config) {
  export_class(config, "MistralForCausalLM");
  export_llama_layers(model.model, config);
  if (const int64_t window = widest_window(model.model); window > 0)
    config.set("sliding_window", window);
  else
    config.set_null("sliding_window");
  export_rope(model, config);
}

/// llama.cpp stores Mistral as LLaMA, with a window where there is one.
void from_gguf(GgufConfig& gguf) {
  gguf.rms_norm();
  gguf.rope();
  gguf.config().set("sliding_window", gguf.keys().whole({"attention.sliding_window"}, std::nullopt));
  gguf.keys().require(!gguf.keys().has("expert_count"), "expert_count",
                      found_what("a mixture of experts").allowed("one feed-forward"));
}

}  // namespace mistral

extern const Family mistral_family{
    .name = "mistral",
    .summary = "Mistral: LLaMA with a sliding window",
    .read = mistral::read,
    .names = mistral::names,
    .export_as = mistral::export_as,
    .architecture = "llama",
    .from_gguf = mistral::from_gguf,
    .gguf_names = [](DecoderNames& names, const TensorSource&) { names.interleaved_rope = true; },
    .takes_gguf = [](const FamilyConfig& metadata) { return metadata.has("attention.sliding_window"); },
};

}  // namespace lw
