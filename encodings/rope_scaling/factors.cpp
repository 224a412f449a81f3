// A list of factors, one per pair, that frequencies are divided by: for evaluating the result of a search, or a method
// that has no name of its own here. The form of llama.cpp's rope_freqs tensor; LongRoPE (Ding et al. 2024,
// arXiv:2402.13753) searches for such lists, and its switch between two of them is `longrope`.
#include <algorithm>

#include "encodings/rope_scaling/options.h"
#include "harness/base/config.h"

namespace lw {
namespace {

class FactorsScaling final : public RopeScaling {
 public:
  FactorsScaling(std::vector<double> factors, double attention_factor)
      : factors_(std::move(factors)), attention_factor_(attention_factor) {}

  std::string_view name() const override { return "factors"; }

  RopeTable table(const RopeBasis& basis, int64_t) const override {
    RopeTable out{basis.inv_freq(), attention_factor_};
    for (size_t i = 0; i < out.inv_freq.size(); ++i) out.inv_freq[i] /= factors_[i];
    return out;
  }

  std::vector<DerivedNumber> derived(const RopeBasis&, int64_t) const override {
    const auto [least, most] = std::minmax_element(factors_.begin(), factors_.end());
    return {{"least_factor", *least}, {"largest_factor", *most}};
  }

 private:
  std::vector<double> factors_;
  double attention_factor_;
};

}  // namespace

extern const RopeScalingInfo factors_rope_scaling{
    .name = "factors",
    .summary = "a list of numbers that frequencies are divided by",
    .paper = "the form of llama.cpp's rope_freqs",
    .golden = "every other method's ratios, written as a list",
    .read = [](ConfigNode& options, const RopeBasis& basis, int64_t) -> std::unique_ptr<RopeScaling> {
      auto factors = read_pair_factors(options, "factors", basis, "each pair's frequency is divided by its number");
      return std::make_unique<FactorsScaling>(std::move(factors), read_attention_factor(options, "1").value_or(1.0));
    },
    .needed_lists = "factors",
};

}  // namespace lw
