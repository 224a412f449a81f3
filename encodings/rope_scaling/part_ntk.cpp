// The YaRN repository's forerunner of NTK-by-parts, a blend of three: from fast to slow pairs plain frequencies,
// NTK-aware ones and interpolated ones, with ramps over the pair index from the pair of 16 rotations over the original
// length to that of 2, and from that of 1.25 to that of 0.75. github.com/jquesnelle/yarn,
// LlamaPartNTKScaledRotaryEmbedding, with its ntk_factor and extrapolation_factor at 1.
// Deviation: the edges of the ramps, see frequencies.h.
#include "encodings/rope_scaling/options.h"

namespace lw {
namespace {

class PartNtkScaling final : public RopeScaling {
 public:
  explicit PartNtkScaling(const Extension& reach) : reach_(reach) {}

  std::string_view name() const override { return "part_ntk"; }

  RopeTable table(const RopeBasis& basis, int64_t) const override {
    return {part_ntk_frequencies(basis, reach_.original_length, reach_.factor), 1.0};
  }

  std::vector<DerivedNumber> derived(const RopeBasis& basis, int64_t) const override {
    auto out = reach_.numbers();
    out.push_back({"effective_base", with_stretched_base(basis, reach_.factor).rope_theta});
    return out;
  }

 private:
  Extension reach_;
};

}  // namespace

extern const RopeScalingInfo part_ntk_rope_scaling{
    .name = "part_ntk",
    .summary = "fast pairs kept, middle ones NTK-aware, slow ones interpolated",
    .paper = "Peng et al. 2023, github.com/jquesnelle/yarn",
    .golden = "the authors' class, 96 settings",
    .read = [](ConfigNode& options, const RopeBasis& basis, int64_t train_length) -> std::unique_ptr<RopeScaling> {
      require_two_pairs(options, basis);
      return std::make_unique<PartNtkScaling>(
          read_extension(options, train_length, "how much the slow pairs slow down"));
    },
    .size_option = "factor",
    .needed_options = "{factor: 8}",
};

}  // namespace lw
