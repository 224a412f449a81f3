// No scaling: RoPE as trained, at every length. Su et al. 2021, arXiv:2104.09864.
#include "encodings/rope_scaling/rope_scaling.h"

namespace lw {
namespace {

class DefaultScaling final : public RopeScaling {
 public:
  std::string_view name() const override { return "default"; }
  RopeTable table(const RopeBasis& basis, int64_t) const override { return {basis.inv_freq(), 1.0}; }
};

}  // namespace

extern const RopeScalingInfo default_rope_scaling{
    .name = "default",
    .summary = "no scaling",
    .paper = "Su et al. 2021, arXiv:2104.09864",
    .golden = "transformers, 24 settings",
    .read = [](ConfigNode&, const RopeBasis&, int64_t) -> std::unique_ptr<RopeScaling> {
      return std::make_unique<DefaultScaling>();
    },
};

}  // namespace lw
