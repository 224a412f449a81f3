// YaRN: fast pairs kept, slow pairs interpolated, a ramp between, and an attention temperature.
// Peng et al. 2023, "YaRN: Efficient Context Window Extension of Large Language Models", arXiv:2309.00071,
// sections 3.2-3.4. As in every implementation the ramp runs over the pair index between the pairs that make
// beta_fast and beta_slow rotations over the original length; the paper's runs over the rotations themselves.
// `mscale` and `mscale_all_dim` are DeepSeek's: their ratio replaces the temperature on cos and sin. DeepSeek's models
// also multiply the whole logit by the square of mscale_all_dim's (DeepSeek-AI 2024, "DeepSeek-V2", arXiv:2405.04434,
// in the models' code); `softmax_mscale: true` asks for that, which is not done unasked, as other models have the same
// keys without it.
// Deviation from Hugging Face: the edges of the ramp, see frequencies.h.
#include <optional>
#include <string>

#include "encodings/rope_scaling/options.h"
#include "harness/base/config.h"

namespace lw {
namespace {

struct YarnOptions {
  Extension reach;
  RotationRange rotations;
  std::optional<double> attention_factor, mscale, mscale_all_dim;
  bool softmax_mscale = false;

  bool has_both_mscales() const { return mscale.value_or(0) != 0 && mscale_all_dim.value_or(0) != 0; }
};

class YarnScaling final : public RopeScaling {
 public:
  explicit YarnScaling(const YarnOptions& options) : options_(options) {}

  std::string_view name() const override { return "yarn"; }

  RopeTable table(const RopeBasis& basis, int64_t) const override {
    const PairRamp ramp = ramp_over_pairs(basis, options_.reach.original_length, options_.rotations);
    return {interpolate_slow_pairs(basis, ramp, options_.reach.factor), attention_factor(), query_factor()};
  }

  std::vector<DerivedNumber> derived(const RopeBasis& basis, int64_t) const override {
    auto out = options_.reach.numbers();
    for (auto& number : rotation_range_numbers(basis, options_.reach.original_length, options_.rotations))
      out.push_back(std::move(number));
    const double lone = options_.mscale.value_or(0);
    if (lone != 0 && !options_.has_both_mscales()) out.push_back({"mscale_without_effect", lone});
    return out;
  }

 private:
  double attention_factor() const {
    if (options_.attention_factor) return *options_.attention_factor;
    const double factor = options_.reach.factor;
    return options_.has_both_mscales()
               ? yarn_mscale(factor, *options_.mscale) / yarn_mscale(factor, *options_.mscale_all_dim)
               : yarn_mscale(factor);
  }

  double query_factor() const {
    if (!options_.softmax_mscale) return 1;
    const double scale = yarn_mscale(options_.reach.factor, options_.mscale_all_dim.value_or(0));
    return scale * scale;
  }

  YarnOptions options_;
};

std::unique_ptr<RopeScaling> read_yarn(ConfigNode& options, const RopeBasis&, int64_t train_length) {
  YarnOptions yarn;
  yarn.reach = read_extension(options, train_length, "target length over original length");
  yarn.attention_factor = read_attention_factor(options, "derived from factor");
  yarn.rotations = read_rotation_range(options);
  yarn.mscale = options.optional_number("mscale", {.min = 0.0}, "temperature weight; needs mscale_all_dim (DeepSeek)");
  yarn.mscale_all_dim =
      options.optional_number("mscale_all_dim", {.min = 0.0}, "what mscale's temperature is divided by");
  yarn.softmax_mscale =
      options.flag("softmax_mscale", false, "multiply whole logits by the square of mscale_all_dim's temperature");
  options.require(!yarn.softmax_mscale || yarn.mscale_all_dim.value_or(0) != 0, "softmax_mscale",
                  "found true without mscale_all_dim; allowed: true beside an mscale_all_dim above 0");
  return std::make_unique<YarnScaling>(yarn);
}

}  // namespace

extern const RopeScalingInfo yarn_rope_scaling{
    .name = "yarn",
    .summary = "fast pairs kept, slow pairs interpolated, attention sharpened",
    .paper = "Peng et al. 2023, arXiv:2309.00071",
    .golden = "transformers, 288 settings, and its options one by one",
    .read = read_yarn,
    .size_option = "factor",
    .needed_options = "{factor: 8}",
};

}  // namespace lw
