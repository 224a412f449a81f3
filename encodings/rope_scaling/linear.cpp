// Position interpolation: every frequency divided by the factor, the same as dividing positions.
// Chen et al. 2023, "Extending Context Window of Large Language Models via Positional Interpolation",
// arXiv:2306.15595.
#include "encodings/rope_scaling/options.h"

namespace lw {
namespace {

class LinearScaling final : public RopeScaling {
 public:
  explicit LinearScaling(double factor) : factor_(factor) {}

  std::string_view name() const override { return "linear"; }

  RopeTable table(const RopeBasis& basis, int64_t) const override {
    RopeTable out{basis.inv_freq(), 1.0};
    for (double& w : out.inv_freq) w /= factor_;
    return out;
  }

  std::vector<DerivedNumber> derived(const RopeBasis&, int64_t) const override { return {{"factor", factor_}}; }

 private:
  double factor_;
};

}  // namespace

extern const RopeScalingInfo linear_rope_scaling{
    .name = "linear",
    .summary = "position interpolation: positions divided by a factor",
    .paper = "Chen et al. 2023, arXiv:2306.15595",
    .golden = "transformers, 96 settings",
    .read = [](ConfigNode& options, const RopeBasis&, int64_t) -> std::unique_ptr<RopeScaling> {
      return std::make_unique<LinearScaling>(read_factor(options, "positions are divided by it"));
    },
    .size_option = "factor",
    .needed_options = "{factor: 8}",
};

}  // namespace lw
