// Dynamic LongRoPE: factors that grow from 1 at the original length to `long_factor` at the longest one, linearly in
// the current length T: 1 + (long_i - 1) (T / L - 1) / (factor - 1). Up to the original length nothing changes.
// Ding et al. 2024, "LongRoPE", arXiv:2402.13753, in the form of github.com/microsoft/LongRoPE,
// LlamaDynamicLongRoPEScaledRotaryEmbedding, whose attention factor grows with T too (its "su" form).
// Deviations: a pure function of the length, per sequence, where the class keeps the longest seen; nothing changes
// below the original length, where the class would go on to factors below 1.
#include <algorithm>

#include "encodings/rope_scaling/options.h"
#include "harness/base/config.h"

namespace lw {
namespace {

class DynamicLongRopeScaling final : public RopeScaling {
 public:
  DynamicLongRopeScaling(const Extension& reach, std::vector<double> long_factor, std::optional<double> attention)
      : reach_(reach), long_factor_(std::move(long_factor)), attention_factor_(attention) {}

  std::string_view name() const override { return "dynamic_longrope"; }
  std::optional<int64_t> changes_after() const override { return reach_.original_length; }

  RopeTable table(const RopeBasis& basis, int64_t length) const override {
    const double ratio = length_ratio(length, reach_.original_length);
    RopeTable out{basis.inv_freq(), attention_factor_.value_or(longrope_mscale(ratio, reach_.original_length))};
    for (size_t i = 0; i < out.inv_freq.size(); ++i) out.inv_freq[i] /= 1 + (long_factor_[i] - 1) * share(length);
    return out;
  }

  std::vector<DerivedNumber> derived(const RopeBasis&, int64_t length) const override {
    auto out = reach_.numbers();
    out.push_back({"length_ratio", length_ratio(length, reach_.original_length)});
    out.push_back({"share_of_long_factor", share(length)});
    return out;
  }

 private:
  /// 0 up to the original length, 1 at factor times it, and above 1 beyond.
  double share(int64_t length) const {
    return (length_ratio(length, reach_.original_length) - 1) / (reach_.factor - 1);
  }

  Extension reach_;
  std::vector<double> long_factor_;
  std::optional<double> attention_factor_;
};

std::unique_ptr<RopeScaling> read_dynamic_longrope(ConfigNode& options, const RopeBasis& basis, int64_t train_length) {
  const auto reach = read_extension(options, train_length, "long_factor holds at this many original lengths");
  options.require(reach.factor > 1, options.has("factor") ? "factor" : "max_position_embeddings",
                  "found a longest length that is the original one; allowed: a longer one, where long_factor holds");
  options.require(reach.original_length > 1, "original_max_position_embeddings",
                  "found 1; allowed: 2 or more, since the attention factor divides by its logarithm");
  auto factors = read_pair_factors(options, "long_factor", basis, "frequencies are divided by these at full length");
  return std::make_unique<DynamicLongRopeScaling>(
      reach, std::move(factors), read_attention_factor(options, "sqrt(1 + ln(current / original) / ln(original))"));
}

}  // namespace

extern const RopeScalingInfo dynamic_longrope_rope_scaling{
    .name = "dynamic_longrope",
    .summary = "a list of factors that sets in as the current length grows",
    .paper = "Ding et al. 2024, arXiv:2402.13753",
    .golden = "the authors' class",
    .read = read_dynamic_longrope,
    .size_option = "factor",
    .needed_options = "{factor: 8}",
    .needed_lists = "long_factor",
};

}  // namespace lw
