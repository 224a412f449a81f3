// Dynamic NTK: the base grows with the current length, and up to the original length nothing changes.
// Peng et al. 2023, "YaRN", arXiv:2309.00071, section 3.3 (first posted by emozilla). With r = T / L, but at least 1,
// the base is multiplied by (factor r - factor + 1)^(d / (d - 2)), as in Hugging Face. (For shorter sequences the
// bracket could turn negative and its power be NaN.)
// Deviation from Hugging Face: a pure function of the length, per sequence. There, results depend on the longest
// sequence seen before and on the longest row of the batch.
#include "encodings/rope_scaling/options.h"

namespace lw {
namespace {

class DynamicNtkScaling final : public RopeScaling {
 public:
  DynamicNtkScaling(double factor, int64_t original_length) : factor_(factor), original_length_(original_length) {}

  std::string_view name() const override { return "dynamic"; }
  std::optional<int64_t> changes_after() const override { return original_length_; }

  RopeTable table(const RopeBasis& basis, int64_t length) const override {
    return {with_stretched_base(basis, stretch(length)).inv_freq(), 1.0};
  }

  std::vector<DerivedNumber> derived(const RopeBasis& basis, int64_t length) const override {
    return {{"factor", factor_},
            {"original_max_position_embeddings", double(original_length_)},
            {"length_ratio", length_ratio(length, original_length_)},
            {"effective_base", with_stretched_base(basis, stretch(length)).rope_theta}};
  }

 private:
  double stretch(int64_t length) const { return factor_ * (length_ratio(length, original_length_) - 1.0) + 1.0; }

  double factor_;
  int64_t original_length_;
};

}  // namespace

extern const RopeScalingInfo dynamic_rope_scaling{
    .name = "dynamic",
    .summary = "dynamic NTK: a base that grows with the current length",
    .paper = "Peng et al. 2023, arXiv:2309.00071",
    .golden = "transformers, 176 settings",
    .read = [](ConfigNode& options, const RopeBasis& basis, int64_t train_length) -> std::unique_ptr<RopeScaling> {
      require_two_pairs(options, basis);
      const double factor = read_factor(options, "how fast the base grows past the original length");
      return std::make_unique<DynamicNtkScaling>(factor, read_original_length(options, train_length));
    },
    .size_option = "factor",
    .needed_options = "{factor: 8}",
};

}  // namespace lw
