// Gemma 2. Gemma Team 2024, arXiv:2408.00118: norms before and after each sub-layer, soft-capped logits, a sliding
// window in every other layer, starting with the first.
#include "harness/checkpoint/families/gemma.h"
#include "harness/checkpoint/family_export.h"
#include "harness/checkpoint/gguf_family.h"

namespace lw {
namespace gemma2 {

FamilyModel read(FamilyConfig& config, const TensorSource& source) {
  FamilyModel out;
  ModelConfig& m = out.model;
  read_gemma(config, source, m, {2304, 26, 8, 4, 9216, 256, 256000});
  read_gemma2_blocks(config, m, 50, 30);
  const int64_t window = config.whole({"sliding_window"}, 4096);
  config.ignore({"cache_implementation"});
  m.windows = read_layer_windows(
      config, m.layers, window, [](int64_t layer, int64_t) { return layer % 2 == 0; }, 0);
  read_rotary_position(config, out, 8192);
  return out;
}

WeightMap names(const FamilyModel& model) { return map_of(gemma2_names(), model); }

void export_as(const FamilyModel& model, ConfigWriter& config) {
  export_class(config, "Gemma2ForCausalLM");
  export_gemma(model.model, config);
  export_gemma2_blocks(model.model, config);
  export_rope(model, config);
}

void from_gguf(GgufConfig& gguf) {
  gguf.rms_norm();
  gguf.rope();
  read_gemma2_gguf(gguf, 46);
}

}  // namespace gemma2

extern const Family gemma2_family{
    .name = "gemma2",
    .summary = "Gemma 2: norms around sub-layers, soft-caps, every other layer slides",
    .read = gemma2::read,
    .names = gemma2::names,
    .export_as = gemma2::export_as,
    .architecture = "gemma2",
    .from_gguf = gemma2::from_gguf,
    .gguf_names = [](DecoderNames& names, const TensorSource&) { names.norm_plus_one = true; },
    .needs_bos = true,
};

}  // namespace lw
