// YaRN: fast pairs kept, slow pairs interpolated, a ramp between, and an attention temperature.
// Peng et al. 2023, "YaRN: Efficient Context Window Extension of Large Language Models", arXiv:2309.00071,
// sections 3.2-3.4. As in every implementation the ramp runs over the pair index between the pairs that make
// beta_fast and beta_slow turns over the original length; the paper's runs over the turns themselves.
// Deviation from Hugging Face at the edges: both ends of the ramp are clipped to [0, d - 1] before the ramp is
// given its least width, so that an original length below 2 pi beta_slow interpolates all pairs but the first,
// where Hugging Face divides by a negative width and scales none.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "encodings/rope_scaling/options.h"
#include "harness/base/config.h"
#include "harness/base/numbers.h"

namespace lw {
namespace {

struct YarnOptions {
  double factor = 1;
  int64_t original_length = 0;
  double beta_fast = 32, beta_slow = 1;  // turns over the original length
  bool truncate = true;                  // ramp ends at whole pair indices
  std::optional<double> attention_factor, mscale, mscale_all_dim;

  bool has_both_mscales() const { return mscale.value_or(0) != 0 && mscale_all_dim.value_or(0) != 0; }
};

class YarnScaling final : public RopeScaling {
 public:
  explicit YarnScaling(const YarnOptions& options) : options_(options) {}

  std::string_view name() const override { return "yarn"; }

  RopeTable table(const RopeBasis& basis, int64_t) const override {
    RopeTable out{basis.inv_freq(), attention_factor()};
    const auto [low, high] = correction_range(basis);
    for (size_t i = 0; i < out.inv_freq.size(); ++i) {
      const double ramp = std::clamp((double(i) - low) / (high - low), 0.0, 1.0);
      const double w = out.inv_freq[i];
      out.inv_freq[i] = w / options_.factor * ramp + w * (1 - ramp);
    }
    return out;
  }

  std::vector<DerivedNumber> derived(const RopeBasis& basis, int64_t) const override {
    const auto [low, high] = correction_range(basis);
    std::vector<DerivedNumber> out = {{"factor", options_.factor},
                                      {"original_max_position_embeddings", double(options_.original_length)},
                                      {"beta_fast", options_.beta_fast},
                                      {"beta_slow", options_.beta_slow},
                                      {"pair_of_beta_fast", pair_of_turns(basis, options_.beta_fast)},
                                      {"pair_of_beta_slow", pair_of_turns(basis, options_.beta_slow)},
                                      {"correction_low", low},
                                      {"correction_high", high}};
    const double lone = options_.mscale.value_or(0);
    if (lone != 0 && !options_.has_both_mscales()) out.push_back({"mscale_without_effect", lone});
    return out;
  }

 private:
  struct Interval {
    double low, high;
  };

  /// The pair index, as a real number, whose pair makes `turns` turns over the original length.
  double pair_of_turns(const RopeBasis& basis, double turns) const {
    return double(basis.rotary_dim) * std::log(double(options_.original_length) / (2 * M_PI * turns)) /
           (2 * std::log(basis.rope_theta));
  }

  Interval correction_range(const RopeBasis& basis) const {
    double low = pair_of_turns(basis, options_.beta_fast), high = pair_of_turns(basis, options_.beta_slow);
    if (options_.truncate) low = std::floor(low), high = std::ceil(high);
    const double last = double(basis.rotary_dim - 1);  // not the last pair: peers agree on this limit
    low = std::clamp(low, 0.0, last);
    high = std::clamp(high, 0.0, last);
    return {low, std::max(high, low + 0.001)};
  }

  double attention_factor() const {
    const auto scale = [&](double m) { return options_.factor <= 1 ? 1.0 : 0.1 * m * std::log(options_.factor) + 1.0; };
    if (options_.attention_factor) return *options_.attention_factor;
    return options_.has_both_mscales() ? scale(*options_.mscale) / scale(*options_.mscale_all_dim) : scale(1);
  }

  YarnOptions options_;
};

/// Zero stands for the default, as in Hugging Face.
double read_beta(ConfigNode& options, const char* key, double fallback, const std::string& doc) {
  const double value = options.number(key, fallback, {.min = 0.0}, doc + "; 0 means " + format_number(fallback));
  return value == 0 ? fallback : value;
}

std::unique_ptr<RopeScaling> make_yarn(ConfigNode& options, const RopeBasis&, int64_t train_length) {
  YarnOptions yarn;
  yarn.factor = read_factor(options, "target length over original length");
  yarn.original_length = read_original_length(options, train_length);
  if (!options.is_describing() && options.has("attn_factor"))
    options.fail("attn_factor",
                 "found vLLM's key, which multiplies the factor that YaRN derives; allowed: "
                 "attention_factor, which replaces it; did you mean 'attention_factor'?");
  yarn.attention_factor = options.optional_number("attention_factor", {.min = 0.0, .above_min = true},
                                                  "multiplies cos and sin; derived from factor when absent");
  yarn.beta_fast = read_beta(options, "beta_fast", 32, "pairs that make more turns than this are kept");
  yarn.beta_slow = read_beta(options, "beta_slow", 1, "pairs that make fewer turns than this are interpolated");
  options.require(yarn.beta_fast > yarn.beta_slow, "beta_fast",
                  "found " + format_number(yarn.beta_fast) + " with beta_slow " + format_number(yarn.beta_slow) +
                      "; allowed: beta_fast above beta_slow");
  yarn.mscale = options.optional_number("mscale", {.min = 0.0}, "temperature weight; needs mscale_all_dim (DeepSeek)");
  yarn.mscale_all_dim =
      options.optional_number("mscale_all_dim", {.min = 0.0}, "what mscale's temperature is divided by");
  yarn.truncate = options.flag("truncate", true, "round the ends of the ramp to whole pairs");
  return std::make_unique<YarnScaling>(yarn);
}

}  // namespace

extern const RopeScalingInfo yarn_rope_scaling{"yarn", "fast pairs kept, slow pairs interpolated, attention sharpened",
                                               "Peng et al. 2023, arXiv:2309.00071",
                                               "transformers, 288 settings, and its options one by one", make_yarn};

}  // namespace lw
