// Sandwich: the inner product of two sinusoidal position vectors as a fixed penalty per head.
// Chi et al. 2023, "Dissecting Transformer Length Extrapolation via the Lens of Receptive Field Analysis",
// arXiv:2212.10356, section 5:
//   bias_h(D) = (sum over the bar_d / 2 frequencies of cos(D w_i) - bar_d / 2) / (8 h / H), h = 1 .. H.
// The constant changes no softmax; with it distance 0 has no penalty. Peers disagree on the frequencies
// 10000^(-2i / bar_d): NeMo counts i from 1, the listing in the paper's appendix from 0. The paper takes
// bar_d = 128, NeMo the width of a head. The paper is causal; the cosine is even, so without a causal mask the
// penalty is symmetric.
#include <ATen/ops/outer.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "encodings/parts/distance_bias.h"
#include "encodings/parts/facts.h"
#include "encodings/position_encoding.h"
#include "harness/base/config.h"
#include "harness/base/text.h"

namespace lw {
namespace {

constexpr int64_t kPaperWidth = 128;

/// Whether the sum runs from i = 1.
const NamedValues<bool> kSandwichIndices = {
    {true, "nemo", "i = 1 .. bar_d / 2, as NeMo"},
    {false, "paper_appendix", "i = 0 .. bar_d / 2 - 1, as the paper's listing"}};

class Sandwich final : public PositionEncoding {
 public:
  Sandwich(const ModelShape& shape, int64_t bar_d, bool from_one)
      : bar_d_(bar_d), from_one_(from_one), causal_(shape.causal) {
    for (int64_t i = 0; i < bar_d / 2; ++i)
      frequencies_.push_back(std::pow(10000.0, -2.0 * double(i + (from_one ? 1 : 0)) / double(bar_d)));
    for (int64_t h = 1; h <= shape.heads; ++h) divisors_.push_back(8.0 * double(h) / double(shape.heads));
  }

  at::Tensor adjust_logits(const at::Tensor& logits_BHQK, const at::Tensor&, const at::Tensor&,
                           const Site& at) override {
    return add_distance_bias(*this, logits_BHQK, at);
  }

  at::Tensor bias_by_distance(const at::Tensor& ahead_N) const override {
    const auto constant = [&](const std::vector<double>& values) {
      return at::tensor(values, at::kDouble).to(ahead_N.device());
    };
    const auto distance_N = ahead_N.abs().to(at::kDouble);
    const auto cosine_sum_N = at::outer(distance_N, constant(frequencies_)).cos_().sum(-1);
    return (cosine_sum_N - double(bar_d_) / 2) / constant(divisors_).unsqueeze(1);
  }

  bool shift_invariant() const override { return true; }

  std::vector<CardFact> facts(int64_t) const override {
    return {number_fact("bar_d", double(bar_d_)), text_fact("index", name_of(kSandwichIndices, from_one_)),
            flag_fact("symmetric", !causal_), list_fact("frequencies", frequencies_), list_fact("divisors", divisors_)};
  }

 private:
  int64_t bar_d_;
  bool from_one_, causal_;
  std::vector<double> frequencies_, divisors_;  // plain doubles: a cast of the module must not round them
};

MakeEncoding read_sandwich(ConfigNode& options, const ModelShape& shape) {
  const bool head_width =
      options.flag("bar_d_is_head_width", false, "take the width of a head for bar_d, as NeMo does");
  const auto given = options.optional_integer("bar_d", {.min = 2, .max = 1 << 20},
                                              "channels of the sinusoidal vectors, even; absent: 128, as in the paper");
  options.require(!(head_width && given && *given != shape.head_width), "bar_d",
                  found(given.value_or(0), " with bar_d_is_head_width and heads of ", shape.head_width, " channels")
                      .allowed("one of the two keys"));
  const int64_t bar_d = head_width ? shape.head_width : given.value_or(kPaperWidth);
  options.require(bar_d % 2 == 0 && bar_d > 0, given ? "bar_d" : "bar_d_is_head_width",
                  found_what("a width of ", bar_d).allowed("an even number"));
  const bool from_one = options.choice("index", kSandwichIndices, true, "which frequencies the sum runs over");
  return maker_of<Sandwich>(shape, bar_d, from_one);
}

}  // namespace

extern const EncodingInfo sandwich_encoding{
    .name = "sandwich",
    .summary = "a fixed penalty per head: the inner product of sinusoids",
    .paper = "Chi et al. 2023, arXiv:2212.10356",
    .golden = "NeMo and the paper's appendix: distances 0 to 15",
    .read = read_sandwich,
};

}  // namespace lw
