// Gemma 3, text models. Gemma Team 2025, arXiv:2503.19786: Gemma 2's blocks without soft-caps, normalised queries
// and keys, five sliding layers to one that sees everything, and a base of its own for each of the two kinds.
#include <algorithm>

#include "harness/base/json_read.h"
#include "harness/base/numbers.h"
#include "harness/base/text.h"
#include "harness/checkpoint/families/gemma.h"
#include "harness/checkpoint/family_export.h"
#include "harness/checkpoint/gguf_family.h"
#include "harness/checkpoint/layer_position.h"

namespace lw {
namespace gemma3_text {

constexpr const char* kFull = "full_attention";
constexpr const char* kSliding = "sliding_attention";

/// Settings of both kinds of layer. Version 5 of transformers nests them; in version 4 a flat rope_scaling applies to
/// the layers that see everything.
Json blocks_of(FamilyConfig& config) {
  const auto theta = config.optional_number({"rope_theta"}), local = config.optional_number({"rope_local_base_freq"});
  const auto nested = config.optional_json("rope_parameters"), flat = config.optional_json("rope_scaling");
  config.require(!nested || nested->is_object(), "rope_parameters",
                 found_what(json_shown(nested.value_or(nullptr))).allowed("an object or null"));
  Json out = nested.value_or(Json::object());
  for (const auto& [key, value] : out.items())
    config.require((key == kFull || key == kSliding) && (value.is_object() || value.is_null()), "rope_parameters",
                   found_what(key).allowed("an object under full_attention and one under sliding_attention"));
  for (const char* kind : {kFull, kSliding}) {
    const auto stated = out.find(kind);
    out[kind] = stated == out.end() || stated->is_null() ? Json{{"rope_type", "default"}} : without_nulls(*stated);
  }
  if (flat) {
    config.require(!nested, "rope_scaling", "found it beside rope_parameters; allowed: one of them");
    config.require(flat->is_object(), "rope_scaling", found_what(json_shown(*flat)).allowed("an object or null"));
    out[kFull] = without_nulls(*flat);
  }
  const auto base = [&](const char* kind, const char* key, std::optional<double> above, double fallback) {
    Json& block = out[kind];
    const auto stated = block.find("rope_theta");
    if (stated == block.end()) {
      block["rope_theta"] = above.value_or(fallback);
      if (!above) config.note(key, format_number(fallback), "default of " + config.family());
      return;
    }
    config.require(stated->is_number(), std::string("rope_parameters.") + kind + ".rope_theta",
                   found_what(json_shown(*stated)).allowed("a number"));
    config.require(!above || *stated == *above, key,
                   found(above.value_or(0), ", and another base in rope_parameters").allowed("one"));
  };
  base(kFull, "rope_theta", theta, 1e6);
  base(kSliding, "rope_local_base_freq", local, 1e4);
  return out;
}

Tree position_of(FamilyConfig& config, const ModelConfig& m, int64_t context) {
  const Json blocks = blocks_of(config);
  Tree types = Tree::list(), scaling = Tree::map(), out = Tree::map();
  for (int64_t l = 0; l < m.layers; ++l) types.items.push_back(word(m.window_of(l) > 0 ? kSliding : kFull));
  for (const auto& type : types.items)
    if (scaling.find(type.text) == nullptr)
      scaling.set(type.text,
                  rope_scaling_block(config, blocks.at(type.text), "rope_parameters." + type.text, context, {}));
  out.set("scheme", word("rope"));
  out.set("layer_types", std::move(types));
  out.set("scaling", std::move(scaling));
  return out;
}

FamilyModel read(FamilyConfig& config, const TensorSource& source) {
  FamilyModel out;
  ModelConfig& m = out.model;
  read_gemma(config, source, m, {2304, 26, 8, 4, 9216, 256, 262208});
  read_gemma2_blocks(config, m, 0, 0);
  config.require(m.attention_softcap == 0, "attn_logit_softcapping",
                 "found a value, which transformers reads and computes without; allowed: null");
  m.qk_norm = true;
  const int64_t window = config.whole({"sliding_window"}, 4096);
  const int64_t pattern = config.whole({"sliding_window_pattern", "_sliding_window_pattern"}, 6);
  config.ignore({"cache_implementation"});
  m.windows = read_layer_windows(
      config, m.layers, window, [](int64_t layer, int64_t of) { return (layer + 1) % of != 0; }, pattern);
  out.train_length = read_context(config, 131072);
  out.position = position_of(config, m, out.train_length);
  return out;
}

WeightMap names(const FamilyModel& model) { return map_of(gemma2_names(), model); }

void export_as(const FamilyModel& model, ConfigWriter& config) {
  export_class(config, "Gemma3ForCausalLM");
  export_gemma(model.model, config);
  export_gemma2_blocks(model.model, config);
  ConfigWriter blocks;
  const auto types = layer_types(model.model);
  for (const char* kind : {kFull, kSliding}) {
    const auto first = std::find(types.begin(), types.end(), kind);
    ConfigWriter block;  // no layer is of this kind: any settings do
    write_rope_parameters(layer_position(model.position, first == types.end() ? 0 : first - types.begin()), block);
    blocks.set(kind, block);
  }
  config.set("rope_parameters", blocks);
  if (model.train_length > 0) config.set("max_position_embeddings", model.train_length);
}

void from_gguf(GgufConfig& gguf) {
  gguf.rms_norm();
  gguf.rope();
  read_gemma2_gguf(gguf, 62);
  gguf.config().set("sliding_window_pattern", gguf.keys().whole({"attention.sliding_window_pattern"}, 6));
  gguf.config().set("rope_local_base_freq", gguf.keys().number({"rope.freq_base_swa"}, 10000.0));
}

}  // namespace gemma3_text

extern const Family gemma3_text_family{
    .name = "gemma3_text",
    .summary = "Gemma 3: two bases, five sliding layers to one that is not",
    .read = gemma3_text::read,
    .names = gemma3_text::names,
    .export_as = gemma3_text::export_as,
    .architecture = "gemma3",
    .from_gguf = gemma3_text::from_gguf,
    .gguf_names = [](DecoderNames& names, const TensorSource&) { names.norm_plus_one = true; },
    .needs_bos = true,
};

}  // namespace lw
