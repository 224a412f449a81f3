// Mistral. Jiang et al. 2023, arXiv:2310.06825: LLaMA with grouped queries and a sliding window in every layer.
#include "harness/checkpoint/family.h"

namespace lw {
namespace {

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

WeightMap names(const FamilyModel& model, const TensorSource&) { return map_of(llama_names(), model); }

}  // namespace

extern const Family mistral_family{"mistral", "Mistral: LLaMA with a sliding window", "", read, names};

}  // namespace lw
