// Dynamic position interpolation: frequencies divided by current length / original length, and up to the
// original length nothing changes. github.com/jquesnelle/yarn, LlamaDynamicScaledRotaryEmbedding with ntk=False.
// Deviation: a pure function of the length, per sequence; there, the longest sequence seen before counts.
#include "encodings/rope_scaling/options.h"

namespace lw {
namespace {

class DynamicLinearScaling final : public RopeScaling {
 public:
  explicit DynamicLinearScaling(int64_t original_length) : original_length_(original_length) {}

  std::string_view name() const override { return "dynamic_linear"; }
  std::optional<int64_t> changes_after() const override { return original_length_; }

  RopeTable table(const RopeBasis& basis, int64_t length) const override {
    RopeTable out{basis.inv_freq(), 1.0};
    for (double& w : out.inv_freq) w /= length_ratio(length, original_length_);
    return out;
  }

  std::vector<DerivedNumber> derived(const RopeBasis&, int64_t length) const override {
    return {{"original_max_position_embeddings", double(original_length_)},
            {"length_ratio", length_ratio(length, original_length_)}};
  }

 private:
  int64_t original_length_;
};

}  // namespace

extern const RopeScalingInfo dynamic_linear_rope_scaling{
    .name = "dynamic_linear",
    .summary = "position interpolation by current length over original length",
    .paper = "Peng et al. 2023, arXiv:2309.00071, section 3.3",
    .golden = "the YaRN authors' class",
    .read = [](ConfigNode& options, const RopeBasis&, int64_t train_length) -> std::unique_ptr<RopeScaling> {
      return std::make_unique<DynamicLinearScaling>(read_original_length(options, train_length));
    },
};

}  // namespace lw
