// NTK-aware scaling with a fixed stretch: the base grows so that the slowest pair slows by `alpha` and the
// fastest not at all. Peng et al. 2023, "YaRN", arXiv:2309.00071, section 3.1 (first posted by bloc97).
#include "encodings/rope_scaling/options.h"
#include "harness/base/config.h"
#include "harness/base/numbers.h"

namespace lw {
namespace {

class NtkScaling final : public RopeScaling {
 public:
  explicit NtkScaling(double alpha) : alpha_(alpha) {}

  std::string_view name() const override { return "ntk"; }

  RopeTable table(const RopeBasis& basis, int64_t) const override {
    return {with_stretched_base(basis, alpha_).inv_freq(), 1.0};
  }

  std::vector<DerivedNumber> derived(const RopeBasis& basis, int64_t) const override {
    return {{"alpha", alpha_}, {"effective_base", with_stretched_base(basis, alpha_).rope_theta}};
  }

 private:
  double alpha_;
};

}  // namespace

extern const RopeScalingInfo ntk_rope_scaling{
    .name = "ntk",
    .summary = "NTK-aware: a larger base, the slowest pair slowed by alpha",
    .paper = "Peng et al. 2023, arXiv:2309.00071",
    .golden = "the authors' class, 32 settings",
    .read = [](ConfigNode& options, const RopeBasis& basis, int64_t) -> std::unique_ptr<RopeScaling> {
      require_two_pairs(options, basis);
      // Another method has an `alpha` below 1: what the key may hold at all is the wider range.
      const double alpha = options.number("alpha", {.min = 0.0},
                                          "ntk: how much the slowest pair slows down, 1 or more; "
                                          "by_parts_turns: pairs of fewer turns than this are interpolated");
      options.require(alpha >= 1, "alpha", "found '" + format_number(alpha) + "'; allowed: a number, 1 or more");
      return std::make_unique<NtkScaling>(alpha);
    },
    .size_option = "alpha",
    .needed_options = "{alpha: 8}",
};

}  // namespace lw
