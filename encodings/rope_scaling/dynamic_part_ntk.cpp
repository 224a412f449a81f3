// The YaRN repository's three-way blend (part_ntk.cpp) with current length / original length for its factor; up
// to the original length nothing changes. github.com/jquesnelle/yarn, LlamaDynamicPartNTKScaledRotaryEmbedding.
// Deviation: a pure function of the length, per sequence; there, the longest sequence seen before counts.
#include "encodings/rope_scaling/options.h"

namespace lw {
namespace {

class DynamicPartNtkScaling final : public RopeScaling {
 public:
  explicit DynamicPartNtkScaling(int64_t original_length) : original_length_(original_length) {}

  std::string_view name() const override { return "dynamic_part_ntk"; }
  std::optional<int64_t> changes_after() const override { return original_length_; }

  RopeTable table(const RopeBasis& basis, int64_t length) const override {
    if (length <= original_length_) return {basis.inv_freq(), 1.0};
    return {part_ntk_frequencies(basis, original_length_, length_ratio(length, original_length_)), 1.0};
  }

  std::vector<DerivedNumber> derived(const RopeBasis& basis, int64_t length) const override {
    const double ratio = length_ratio(length, original_length_);
    return {{"original_max_position_embeddings", double(original_length_)},
            {"length_ratio", ratio},
            {"effective_base", with_stretched_base(basis, ratio).rope_theta}};
  }

 private:
  int64_t original_length_;
};

}  // namespace

extern const RopeScalingInfo dynamic_part_ntk_rope_scaling{
    .name = "dynamic_part_ntk",
    .summary = "part_ntk by current length over original length",
    .paper = "Peng et al. 2023, github.com/jquesnelle/yarn",
    .golden = "the YaRN authors' class, 32 settings",
    .read = [](ConfigNode& options, const RopeBasis& basis, int64_t train_length) -> std::unique_ptr<RopeScaling> {
      require_two_pairs(options, basis);
      return std::make_unique<DynamicPartNtkScaling>(read_original_length(options, train_length));
    },
};

}  // namespace lw
