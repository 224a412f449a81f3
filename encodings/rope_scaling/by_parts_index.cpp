// NTK-by-parts as every implementation has it: fast pairs kept, slow pairs interpolated, and a ramp between that
// runs over the pair index. These are YaRN's frequencies without its attention temperature.
// Peng et al. 2023, "YaRN", arXiv:2309.00071, section 3.2, in the form of github.com/jquesnelle/yarn; the paper's
// own formula is by_parts_turns.
#include "encodings/rope_scaling/options.h"

namespace lw {
namespace {

class ByPartsIndexScaling final : public RopeScaling {
 public:
  ByPartsIndexScaling(const Extension& reach, const RotationRange& rotations) : reach_(reach), rotations_(rotations) {}

  std::string_view name() const override { return "by_parts_index"; }

  RopeTable table(const RopeBasis& basis, int64_t) const override {
    return {interpolate_slow_pairs(basis, ramp_over_pairs(basis, reach_.original_length, rotations_), reach_.factor),
            1.0};
  }

  std::vector<DerivedNumber> derived(const RopeBasis& basis, int64_t) const override {
    auto out = reach_.numbers();
    for (auto& number : rotation_range_numbers(basis, reach_.original_length, rotations_))
      out.push_back(std::move(number));
    return out;
  }

 private:
  Extension reach_;
  RotationRange rotations_;
};

}  // namespace

extern const RopeScalingInfo by_parts_index_rope_scaling{
    .name = "by_parts_index",
    .summary = "fast pairs kept, slow pairs interpolated, a ramp over the pair index",
    .paper = "Peng et al. 2023, arXiv:2309.00071, as implemented",
    .golden = "YaRN's frequencies in transformers, 288 settings",
    .read = [](ConfigNode& options, const RopeBasis&, int64_t train_length) -> std::unique_ptr<RopeScaling> {
      const auto reach = read_extension(options, train_length, "slow pairs are divided by it");
      return std::make_unique<ByPartsIndexScaling>(reach, read_rotation_range(options));
    },
    .size_option = "factor",
    .needed_options = "{factor: 8}",
};

}  // namespace lw
