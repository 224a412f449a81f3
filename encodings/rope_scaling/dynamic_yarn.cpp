// Dynamic YaRN: YaRN whose factor, also in its temperature, is the current length over a divisor; up to that divisor
// nothing changes. Peng et al. 2023, "YaRN", arXiv:2309.00071, sections 3.3 and 3.4.
// The authors' two versions divide by different lengths, so the option `ratio` chooses:
// stand_alone_class (LlamaDynamicYaRNScaledRotaryEmbedding) takes the original length, model_file
// (modeling_llama_together_yarn) max_position_embeddings. Both place the ramp by the original length.
// Deviation: a pure function of the length, per sequence; there, the longest sequence seen before counts.
#include "encodings/rope_scaling/options.h"
#include "harness/base/config.h"
#include "harness/base/text.h"

namespace lw {
namespace {

/// Whether the current length is divided by max_position_embeddings.
const NamedValues<bool> kRatios = {{false, "stand_alone_class", "current length over the original length"},
                                   {true, "model_file", "current length over max_position_embeddings"}};

struct DynamicYarnOptions {
  int64_t original_length = 0;
  int64_t divisor = 0;  // lengths up to it change nothing
  RotationRange rotations;
};

class DynamicYarnScaling final : public RopeScaling {
 public:
  explicit DynamicYarnScaling(const DynamicYarnOptions& options) : options_(options) {}

  std::string_view name() const override { return "dynamic_yarn"; }
  std::optional<int64_t> changes_after() const override { return options_.divisor; }

  RopeTable table(const RopeBasis& basis, int64_t length) const override {
    if (length <= options_.divisor) return {basis.inv_freq(), 1.0};
    const double factor = length_ratio(length, options_.divisor);
    return {interpolate_slow_pairs(basis, ramp_over_pairs(basis, options_.original_length, options_.rotations), factor),
            yarn_mscale(factor)};
  }

  std::vector<DerivedNumber> derived(const RopeBasis& basis, int64_t length) const override {
    std::vector<DerivedNumber> out = {{"original_max_position_embeddings", double(options_.original_length)},
                                      {"length_ratio", length_ratio(length, options_.divisor)},
                                      {"length_divisor", double(options_.divisor)}};
    for (auto& number : rotation_range_numbers(basis, options_.original_length, options_.rotations))
      out.push_back(std::move(number));
    return out;
  }

 private:
  DynamicYarnOptions options_;
};

std::unique_ptr<RopeScaling> read_dynamic_yarn(ConfigNode& options, const RopeBasis&, int64_t train_length) {
  constexpr auto kMaxLength = "max_position_embeddings";
  DynamicYarnOptions yarn;
  yarn.original_length = yarn.divisor = read_original_length(options, train_length);
  const auto read = [&](bool by_max_length) {
    if (!by_max_length) return;
    const auto max_length =
        options.optional_integer(kMaxLength, {.min = 1}, "the length that ratio: model_file divides by");
    options.require(max_length.has_value(), kMaxLength,
                    "found nothing; allowed: a whole number, for ratio: model_file");
    options.require(max_length.value_or(1) >= yarn.original_length, kMaxLength,
                    found(max_length.value_or(1), " with original_max_position_embeddings ", yarn.original_length)
                        .allowed("the original length or more"));
    yarn.divisor = max_length.value_or(1);
  };
  options.variant<bool>("ratio", kRatios, false, "which of the authors' versions gives the factor", read);
  yarn.rotations = read_rotation_range(options);
  return std::make_unique<DynamicYarnScaling>(yarn);
}

}  // namespace

extern const RopeScalingInfo dynamic_yarn_rope_scaling{
    .name = "dynamic_yarn",
    .summary = "YaRN by current length over original length",
    .paper = "Peng et al. 2023, arXiv:2309.00071",
    .golden = "the authors' class, 32 settings",
    .read = read_dynamic_yarn,
};

}  // namespace lw
