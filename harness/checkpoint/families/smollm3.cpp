// SmolLM3 (Hugging Face 2025): LLaMA in which every fourth layer has no position. Layers without positions after
// Yang et al. 2025, arXiv:2501.18795.
#include <algorithm>

#include "harness/base/text.h"
#include "harness/checkpoint/family.h"
#include "harness/checkpoint/family_export.h"
#include "harness/checkpoint/gguf_family.h"
#include "harness/checkpoint/layer_position.h"

namespace lw {
namespace smollm3 {

/// `no_rope_layers` holds 1 for layers that do rotate; without it every N-th layer does not.
std::vector<bool> read_rope_layers(FamilyConfig& config, int64_t layers) {
  const int64_t interval = config.whole({"no_rope_layer_interval"}, 4);
  const auto list = config.optional_wholes("no_rope_layers");
  config.require(!list || list->size() == static_cast<size_t>(layers), "no_rope_layers",
                 found_what(plural(list ? std::ssize(*list) : 0, "number"), " for ", plural(layers, "layer"))
                     .allowed("one each, 1 for a layer that rotates"));
  std::vector<bool> out;
  for (int64_t l = 0; l < layers; ++l)
    out.push_back(list ? (*list)[static_cast<size_t>(l)] != 0 : (l + 1) % interval != 0);
  return out;
}

FamilyModel read(FamilyConfig& config, const TensorSource& source) {
  FamilyModel out;
  ModelConfig& m = out.model;
  read_shape(config, m, {2048, 36, 16, 4, 11008, {}, 128256});
  read_llama_layers(config, m, 1e-6);
  m.bias = config.flag({"attention_bias"}, false);
  m.ffn_bias = config.flag({"mlp_bias"}, false);
  m.tied_embeddings = read_tying(config, source, "lm_head.weight", "embed_tokens.weight", true);
  const auto rotates = read_rope_layers(config, m.layers);
  const bool slides = config.flag({"use_sliding_window"}, false);
  const auto stated = config.optional_whole({"sliding_window"});
  m.windows = read_layer_windows(
      config, m.layers, slides ? stated : std::nullopt, [](int64_t, int64_t) { return false; }, 0);
  if (slides && stated && !config.has("layer_types"))
    for (int64_t l = 0; l < m.layers; ++l) {  // layers without positions slide
      m.windows.resize(static_cast<size_t>(m.layers), 0);
      if (!rotates[static_cast<size_t>(l)]) m.windows[static_cast<size_t>(l)] = *stated;
    }
  RopeDefaults defaults;
  defaults.theta = 2'000'000;
  read_rotary_position(config, out, 32768, defaults);
  out.position = rope_in_some_layers(std::move(out.position), rotates);
  return out;
}

WeightMap names(const FamilyModel& model) { return map_of(llama_names(), model); }

void export_as(const FamilyModel& model, ConfigWriter& config) {
  export_class(config, "SmolLM3ForCausalLM");
  export_llama_layers(model.model, config);
  config.set("attention_bias", model.model.qkv_bias.value_or(model.model.bias));
  config.set("mlp_bias", model.model.ffn_bias.value_or(model.model.bias));
  std::vector<int64_t> rotates;
  for (int64_t l = 0; l < model.model.layers; ++l)
    rotates.push_back(is_rope(layer_position(model.position, l)) ? 1 : 0);
  config.set("no_rope_layers", rotates);
  export_layer_windows(model.model, config);
  export_rope(model, config);
}

void from_gguf(GgufConfig& gguf) {
  gguf.rms_norm();
  gguf.rope();
  gguf.config().set("no_rope_layer_interval", 4);  // fixed in llama.cpp's loader
  gguf.attention_bias();
}

}  // namespace smollm3

extern const Family smollm3_family{
    .name = "smollm3",
    .summary = "SmolLM3: LLaMA with layers that have no position",
    .read = smollm3::read,
    .names = smollm3::names,
    .export_as = smollm3::export_as,
    .architecture = "smollm3",
    .from_gguf = smollm3::from_gguf,
    .gguf_names = [](DecoderNames& names, const TensorSource&) { names.interleaved_rope = true; },
};

}  // namespace lw
