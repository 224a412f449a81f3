// Gemma 2. Gemma Team 2024, arXiv:2408.00118: norms before and after each sub-layer, soft-capped logits, a sliding
// window in every other layer, starting with the first.
#include "harness/checkpoint/families/gemma.h"

namespace lw {
namespace {

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

WeightMap names(const FamilyModel& model, const TensorSource&) { return map_of(gemma2_names(), model); }

}  // namespace

extern const Family gemma2_family{"gemma2", "Gemma 2: norms around sub-layers, soft-caps, every other layer slides",
                                  "gemma2", read, names};

}  // namespace lw
