// p-RoPE: the whole head is paired, the fastest `partial_rotary_factor` of its pairs rotate, and the others, slow ones,
// have a frequency of exactly 0: they carry content alone. Barbero et al. 2024, "Round and Round We Go! What makes
// Rotary Positional Encodings useful?", arXiv:2410.06205, section 6; Gemma 4's global layers. Unlike partial rotation
// frequencies and pairs are those of the whole head. As in Hugging Face all frequencies are divided by `factor`
// (vLLM ignores it).
#include <algorithm>
#include <cmath>

#include "encodings/rope_scaling/options.h"
#include "harness/base/config.h"

namespace lw {
namespace {

/// Whole pairs: truncated, as peers do, except where only floating-point rounding keeps the product from being whole.
int64_t rotated_pairs(const RopeBasis& basis) {
  const double exact = basis.partial_rotary_factor * double(basis.head_width) / 2, nearest = std::round(exact);
  return int64_t(std::abs(exact - nearest) < 1e-6 ? nearest : std::trunc(exact));
}

class ProportionalScaling final : public RopeScaling {
 public:
  explicit ProportionalScaling(double factor) : factor_(factor) {}

  std::string_view name() const override { return "proportional"; }
  bool spans_head() const override { return true; }
  bool in_training() const override { return true; }

  RopeTable table(const RopeBasis& basis, int64_t) const override {
    RopeBasis whole = basis;
    whole.rotary_dim = basis.head_width;
    RopeTable out{whole.inv_freq(), 1.0};
    const auto rotated = size_t(rotated_pairs(basis));
    for (size_t i = 0; i < out.inv_freq.size(); ++i) out.inv_freq[i] = i < rotated ? out.inv_freq[i] / factor_ : 0.0;
    out.still_pairs = out.inv_freq.size() - std::min(rotated, out.inv_freq.size());
    return out;
  }

  std::vector<DerivedNumber> derived(const RopeBasis& basis, int64_t) const override {
    return {{"factor", factor_}, {"rotated_pairs", double(rotated_pairs(basis))}};
  }

 private:
  double factor_;
};

std::unique_ptr<RopeScaling> read_proportional(ConfigNode& options, const RopeBasis& basis, int64_t) {
  options.require(basis.head_width > 0 && basis.head_width % 2 == 0, "rope_type",
                  "found a method that pairs the whole head with a head width of " + std::to_string(basis.head_width) +
                      "; allowed: an even number");
  options.require(rotated_pairs(basis) >= 1,
                  options.has("partial_rotary_factor") ? "partial_rotary_factor" : "rope_type",
                  "found a partial_rotary_factor that rotates 0 of " + std::to_string(basis.head_width / 2) +
                      " pairs; allowed: 1 pair or more (scheme: none rotates none)");
  return std::make_unique<ProportionalScaling>(
      options.number("factor", 1, {.min = 1.0}, "frequencies are divided by it"));
}

}  // namespace

extern const RopeScalingInfo proportional_rope_scaling{
    .name = "proportional",
    .summary = "p-RoPE: the fastest pairs of the whole head rotate, the others never",
    .paper = "Barbero et al. 2024, arXiv:2410.06205",
    .golden = "transformers, 72 settings",
    .read = read_proportional,
};

}  // namespace lw
