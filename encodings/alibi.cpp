// ALiBi: a penalty per head that grows linearly with distance.
// Press et al. 2022, "Train Short, Test Long", arXiv:2108.12409, section 3. The paper is causal; without a causal mask
// the penalty is symmetric. `bias_max` is MPT's parameter, 8 in the paper. Falcon rounds slope times position to
// bfloat16, which merges distances; here both stay in float32 or wider.
#include <ATen/ops/outer.h>

#include <cmath>
#include <vector>

#include "encodings/parts/distance_bias.h"
#include "encodings/parts/facts.h"
#include "encodings/position_encoding.h"
#include "harness/base/config.h"

namespace lw {
namespace {

/// 2^(-bias_max h / H), h = 1..H, where H is a power of two. Otherwise the slopes of the next smaller power of two,
/// then every other slope of the next larger one: the authors' rule, which is not monotone.
std::vector<double> alibi_slopes(int64_t heads, double bias_max) {
  int64_t power = 1;
  while (power * 2 <= heads) power *= 2;
  std::vector<double> slopes;
  for (int64_t h = 1; h <= power; ++h) slopes.push_back(std::exp2(-bias_max * double(h) / double(power)));
  for (int64_t h = 1; int64_t(slopes.size()) < heads; h += 2)
    slopes.push_back(std::exp2(-bias_max * double(h) / double(2 * power)));
  return slopes;
}

class Alibi final : public PositionEncoding {
 public:
  Alibi(const ModelShape& shape, double bias_max)
      : bias_max_(bias_max), causal_(shape.causal), slopes_(alibi_slopes(shape.heads, bias_max)) {}

  at::Tensor adjust_logits(const at::Tensor& logits_BHQK, const at::Tensor&, const at::Tensor&,
                           const Site& at) override {
    return add_distance_bias(*this, logits_BHQK, at);
  }

  at::Tensor bias_by_distance(const at::Tensor& ahead_N) const override {
    // Causal or not: keys ahead of a causal query are masked afterwards.
    const auto slope_H = at::tensor(slopes_, at::kDouble).to(ahead_N.device());
    return at::outer(slope_H, ahead_N.to(at::kDouble).abs_().neg_());
  }

  bool shift_invariant() const override { return true; }

  std::vector<CardFact> facts(int64_t) const override {
    return {number_fact("bias_max", bias_max_), flag_fact("symmetric", !causal_), list_fact("slopes", slopes_)};
  }

 private:
  double bias_max_;
  bool causal_;
  std::vector<double> slopes_;  // plain doubles: a cast of the module must not round them
};

}  // namespace

extern const EncodingInfo alibi_encoding{
    .name = "alibi",
    .summary = "a fixed penalty per head, linear in distance",
    .paper = "Press et al. 2022, arXiv:2108.12409",
    .golden = "the authors' code, BLOOM and MPT: slopes of 1 to 33 heads",
    .read = [](ConfigNode& options, const ModelShape& shape) -> MakeEncoding {
      const double bias_max =
          options.number("bias_max", 8.0, {.min = 0.0, .above_min = true}, "the smallest slope is 2^-bias_max");
      return maker_of<Alibi>(shape, bias_max);
    },
};

}  // namespace lw
