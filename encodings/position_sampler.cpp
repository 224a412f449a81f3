// Ruoss et al. 2023, "Randomized Positional Encodings Boost Length Generalization of Transformers", arXiv:2305.16843,
// section 3: T distinct integers of [0, L_max), drawn without replacement and sorted, replace the positions 0 .. T-1 of
// any scheme, in training and in evaluation.
// Deviation: the authors draw once for a whole batch, from a generator that moves on. Here each row has a draw of its
// own, fixed by the seed and the row's tokens and independent of its neighbours in the batch and of earlier draws, so a
// resumed run draws the same positions.
#include "encodings/position_sampler.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "harness/base/config.h"
#include "harness/base/error.h"
#include "harness/base/rng.h"
#include "harness/base/text.h"

namespace lw {

std::shared_ptr<const PositionSampler> PositionSampler::read(ConfigNode& position) {
  constexpr auto kKey = "randomized";
  ConfigNode options = position.map(kKey, "random positions in increasing order, drawn anew for each sequence");
  if (!position.has(kKey)) return nullptr;
  const int64_t max_position =
      options.integer("max_position", {.min = 1, .max = 1 << 24}, "positions are drawn from 0 to max_position - 1");
  const int64_t seed = options.integer("seed", 0, {.min = 0, .max = 1LL << 53}, "of the draws");
  const NamedValues<bool> kEvaluations = {{true, "drawn", "as in training, as the paper does"},
                                          {false, "plain", "0, 1, 2, ..."}};
  bool drawn = true;
  options.after_training([&]() -> std::optional<std::string> {
    drawn = options.choice("evaluation", kEvaluations, true, "positions in evaluation");
    return drawn ? std::nullopt : std::optional<std::string>("plain positions");
  });
  return std::make_shared<PositionSampler>(max_position, seed, drawn);
}

at::Tensor PositionSampler::draw(const at::Tensor& key_BT, int64_t count) const {
  if (count > max_position_) throw Error(ErrorKind::kUnsupported, too_long(count));
  const auto keys_BT = key_BT.to(at::kCPU, at::kLong).contiguous();
  const int64_t rows = keys_BT.size(0), width = keys_BT.size(1);
  const int64_t* key = keys_BT.data_ptr<int64_t>();
  auto out_BT = at::empty({rows, count}, at::kLong);
  const Rng root = Rng(uint64_t(seed_)).stream("positions");
  for (int64_t row = 0; row < rows; ++row) {
    Rng rng = root;
    for (int64_t t = 0; t < width; ++t) rng = rng.stream(uint64_t(key[row * width + t]));
    std::vector<int64_t> drawn = rng.distinct(count, max_position_);
    std::sort(drawn.begin(), drawn.end());
    std::copy(drawn.begin(), drawn.end(), out_BT.data_ptr<int64_t>() + row * count);
  }
  return out_BT.to(key_BT.device());
}

std::string PositionSampler::too_long(int64_t count) const {
  return text("cannot draw ", count, " different positions from ", max_position_,
              " (position.randomized.max_position)");
}

std::string PositionSampler::numbering() const {
  return text("drawn from 0...", max_position_ - 1, ", distinct and sorted, anew for each sequence (seed ", seed_,
              "); ", drawn_in_evaluation_ ? "in evaluation too" : "in evaluation 0, 1, 2, ...");
}

}  // namespace lw
