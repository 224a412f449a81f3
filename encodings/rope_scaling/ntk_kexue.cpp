// vLLM's `ntk`, which is not what others call NTK-aware scaling (`ntk`): every pair slows, even the first.
// Su 2023, "Transformer upgrade path 11: beta-base positions", kexue.fm/archives/9706: frequency i, from 0, is divided
// by factor^(2 (i + 1) / d), so that the last pair slows by exactly the factor. With vLLM's `mixed_b` c it is divided
// by exp(A (i + 1)^c) with A = ln(factor) / (d / 2)^c instead; c = 1 is the same as none.
#include <cmath>
#include <optional>

#include "encodings/rope_scaling/options.h"
#include "harness/base/config.h"

namespace lw {
namespace {

class NtkKexueScaling final : public RopeScaling {
 public:
  NtkKexueScaling(double factor, std::optional<double> mixed_b) : factor_(factor), mixed_b_(mixed_b) {}

  std::string_view name() const override { return "ntk_kexue"; }

  RopeTable table(const RopeBasis& basis, int64_t) const override {
    RopeTable out{basis.inv_freq(), 1.0};
    const auto pairs = double(out.inv_freq.size());
    for (size_t i = 0; i < out.inv_freq.size(); ++i)
      out.inv_freq[i] /= std::pow(factor_, std::pow(double(i + 1) / pairs, mixed_b_.value_or(1.0)));
    return out;
  }

  std::vector<DerivedNumber> derived(const RopeBasis&, int64_t) const override {
    std::vector<DerivedNumber> out = {{"factor", factor_}};
    if (mixed_b_) out.push_back({"mixed_b", *mixed_b_});
    return out;
  }

 private:
  double factor_;
  std::optional<double> mixed_b_;
};

}  // namespace

extern const RopeScalingInfo ntk_kexue_rope_scaling{
    .name = "ntk_kexue",
    .summary = "vLLM's ntk: pair i slowed by factor^((i + 1) / pairs)",
    .paper = "Su 2023, kexue.fm/archives/9706",
    .golden = "vLLM, 8 settings",
    .read = [](ConfigNode& options, const RopeBasis&, int64_t) -> std::unique_ptr<RopeScaling> {
      const double factor = read_factor(options, "the slowest pair is divided by it");
      return std::make_unique<NtkKexueScaling>(
          factor, options.optional_number("mixed_b", {.min = 0.0, .above_min = true},
                                          "the power that the share of a pair's index is raised to; 1 when absent"));
    },
    .size_option = "factor",
    .needed_options = "{factor: 8}",
};

}  // namespace lw
