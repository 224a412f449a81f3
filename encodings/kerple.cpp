// KERPLE: a learned penalty per head, logarithmic or a power of distance.
// Chi et al. 2022, "KERPLE: Kernelized Relative Positional Embedding for Length Extrapolation", arXiv:2205.09921,
// section 4:
//   log:   -p ln(1 + a D), p > 0, a > 0;     power:   -a D^p, a > 0, 0 < p <= 2.
// One p and one a per head, shared by all layers. As in the authors' code, p is drawn uniformly from (0, 2) and a from
// (0, 1). After every step both are clamped to 0.01 or more, and p of the power form to 2 or less.
// The paper is causal; without a causal mask D is |key - query|.
#include <string>
#include <vector>

#include "encodings/parts/distance_bias.h"
#include "encodings/parts/facts.h"
#include "encodings/parts/parameters.h"
#include "encodings/parts/precision.h"
#include "encodings/position_encoding.h"
#include "harness/base/config.h"
#include "harness/base/rng.h"

namespace lw {
namespace {

constexpr double kLeastParameter = 0.01, kLargestPower = 2.0;

/// Whether the penalty is a power of distance.
const NamedValues<bool> kKerpleKinds = {{false, "log", "-p ln(1 + a D)"}, {true, "power", "-a D^p"}};

class Kerple final : public PositionEncoding {
 public:
  Kerple(const ModelShape& shape, bool power) : power_(power), causal_(shape.causal) {
    p_1H_ = register_parameter("p", at::ones({1, shape.heads}));
    a_1H_ = register_parameter("a", at::full({1, shape.heads}, 0.5));
  }

  at::Tensor adjust_logits(const at::Tensor& logits_BHQK, const at::Tensor&, const at::Tensor&,
                           const Site& at) override {
    return add_distance_bias(*this, logits_BHQK, at);
  }

  at::Tensor bias_by_distance(const at::Tensor& ahead_N) const override {
    const auto wide = wide_type(p_1H_);
    const auto p_H1 = p_1H_.to(wide).t(), a_H1 = a_1H_.to(wide).t();
    const auto distance_N = ahead_N.abs().to(wide);
    if (!power_) return -p_H1 * (a_H1 * distance_N).log1p();
    // 0^p is 0, but its derivative with respect to p would be 0 ln 0: distance 0 is computed as 1 and masked.
    return -a_H1 * distance_N.clamp_min(1).pow(p_H1) * (distance_N > 0).to(wide);
  }

  bool shift_invariant() const override { return true; }

  std::vector<CardFact> facts(int64_t) const override {
    return {text_fact("kind", name_of(kKerpleKinds, power_)), flag_fact("symmetric", !causal_),
            list_fact("p", numbers(p_1H_)), list_fact("a", numbers(a_1H_))};
  }

  void reset_parameters(Rng& rng) override {
    Rng p_stream = rng.stream("p"), a_stream = rng.stream("a");
    draw_uniform(p_1H_, 0, 2, p_stream);
    draw_uniform(a_1H_, 0, 1, a_stream);
    constrain();
  }

  void constrain() override {
    const at::NoGradGuard no_grad;
    p_1H_.clamp_min_(kLeastParameter);
    if (power_) p_1H_.clamp_max_(kLargestPower);
    a_1H_.clamp_min_(kLeastParameter);
  }

 private:
  static std::vector<double> numbers(const at::Tensor& parameter) {
    const auto wide = parameter.detach().to(at::kCPU, at::kDouble).contiguous();
    return {wide.data_ptr<double>(), wide.data_ptr<double>() + wide.numel()};
  }

  bool power_, causal_;
  at::Tensor p_1H_, a_1H_;
};

}  // namespace

extern const EncodingInfo kerple_encoding{
    .name = "kerple",
    .summary = "a learned penalty per head, logarithmic or a power of distance",
    .paper = "Chi et al. 2022, arXiv:2205.09921",
    .golden = "the authors' code: both kinds, distances 0 to 8",
    .read = [](ConfigNode& options, const ModelShape& shape) -> MakeEncoding {
      const bool power = options.choice("kind", kKerpleKinds, false, "how the penalty grows with distance");
      return maker_of<Kerple>(shape, power);
    },
};

}  // namespace lw
