// NTK-by-parts as the paper has it: with r the rotations that a pair makes over the original length, pairs of more
// than beta rotations are kept, pairs of fewer than alpha are interpolated, and the share that is kept grows
// straight in r between. Peng et al. 2023, "YaRN", arXiv:2309.00071, equations 18 to 20, with the paper's names
// and values (alpha 1, beta 32) of the options. Implementations put the ramp into the pair index instead
// (by_parts_index), which leaves middle pairs up to 4 times as fast.
#include <algorithm>
#include <cmath>

#include "encodings/rope_scaling/options.h"
#include "harness/base/config.h"

namespace lw {
namespace {

class ByPartsTurnsScaling final : public RopeScaling {
 public:
  ByPartsTurnsScaling(const Extension& reach, double alpha, double beta) : reach_(reach), alpha_(alpha), beta_(beta) {}

  std::string_view name() const override { return "by_parts_turns"; }

  RopeTable table(const RopeBasis& basis, int64_t) const override {
    RopeTable out{basis.inv_freq(), 1.0};
    for (double& w : out.inv_freq) {
      const double rotations = double(reach_.original_length) * w / (2 * M_PI);
      const double keep = std::clamp((rotations - alpha_) / (beta_ - alpha_), 0.0, 1.0);
      w = (1 - keep) * w / reach_.factor + keep * w;
    }
    return out;
  }

  std::vector<DerivedNumber> derived(const RopeBasis& basis, int64_t) const override {
    auto out = reach_.numbers();
    out.push_back({"alpha", alpha_});
    out.push_back({"beta", beta_});
    if (!basis.scaled_inv_freq.empty()) return out;  // the pairs of these rotations are not those of the base
    if (alpha_ > 0) out.push_back({"pair_of_alpha", pair_of_rotations(basis, reach_.original_length, alpha_)});
    out.push_back({"pair_of_beta", pair_of_rotations(basis, reach_.original_length, beta_)});
    return out;
  }

 private:
  Extension reach_;
  double alpha_, beta_;
};

}  // namespace

extern const RopeScalingInfo by_parts_turns_rope_scaling{
    .name = "by_parts_turns",
    .summary = "fast pairs kept, slow pairs interpolated, a ramp over rotations",
    .paper = "Peng et al. 2023, arXiv:2309.00071, equations 18 to 20",
    .golden = "the paper's formula, written again in the test",
    .read = [](ConfigNode& options, const RopeBasis&, int64_t train_length) -> std::unique_ptr<RopeScaling> {
      const auto reach = read_extension(options, train_length, "slow pairs are divided by it");
      const double alpha =
          options.number("alpha", 1, {.min = 0.0}, "pairs of fewer rotations than this are interpolated");
      const double beta = options.number("beta", 32, {.min = 0.0}, "pairs of more rotations than this are kept");
      require_above(options, "beta", beta, "alpha", alpha);
      return std::make_unique<ByPartsTurnsScaling>(reach, alpha, beta);
    },
    .size_option = "factor",
    .needed_options = "{factor: 8}",
};

}  // namespace lw
