// Sinusoids of geometrically spaced wavelengths, added to the token embeddings.
// Vaswani et al. 2017, "Attention Is All You Need", arXiv:1706.03762, section 3.5.
// Three tables go under this name. `interleaved` is the paper's; `half_split` has the same values, all sines
// first (Marian); `tensor2tensor` is split too, but its last wavelength is exactly 2 pi 10000 (M2M-100).
// Odd widths are refused: peers disagree on what the last channel holds.
#include <cmath>
#include <string>
#include <vector>

#include "encodings/parts/facts.h"
#include "encodings/parts/precision.h"
#include "encodings/position_encoding.h"
#include "harness/base/config.h"
#include "harness/base/text.h"

namespace lw {
namespace {

enum class SinusoidTable { kInterleaved, kHalfSplit, kTensor2Tensor };

const NamedValues<SinusoidTable> kSinusoidTables = {
    {SinusoidTable::kInterleaved, "interleaved", "sine and cosine in turn, as in the paper"},
    {SinusoidTable::kHalfSplit, "half_split", "the same values, sines first, then cosines (Marian)"},
    {SinusoidTable::kTensor2Tensor, "tensor2tensor",
     "sines first; wavelengths end at 2 pi 10000 exactly (tensor2tensor, fairseq, M2M-100)"}};

/// Radians per position of each sine and cosine pair.
std::vector<double> sinusoid_frequencies(int64_t width, SinusoidTable table) {
  const int64_t pairs = width / 2;
  const double steps = table == SinusoidTable::kTensor2Tensor ? double(pairs - 1) : double(pairs);
  std::vector<double> frequencies;
  for (int64_t i = 0; i < pairs; ++i) frequencies.push_back(std::pow(10000.0, -double(i) / steps));
  return frequencies;
}

class Sinusoidal final : public PositionEncoding {
 public:
  Sinusoidal(int64_t width, SinusoidTable table, double scale)
      : table_(table), scale_(scale), frequencies_(sinusoid_frequencies(width, table)) {}

  at::Tensor embed(const at::Tensor& x_BQD, const at::Tensor& pos_BQ) override {
    const auto frequency_F = at::tensor(frequencies_, at::kDouble).to(pos_BQ.device());
    const auto angle_BQF = pos_BQ.to(at::kDouble).unsqueeze(-1) * frequency_F;
    const auto sine_BQF = angle_BQF.sin(), cosine_BQF = angle_BQF.cos();
    const auto vector_BQD = table_ == SinusoidTable::kInterleaved ? at::stack({sine_BQF, cosine_BQF}, -1).flatten(-2)
                                                                  : at::cat({sine_BQF, cosine_BQF}, -1);
    const auto wide = wide_type(x_BQD);
    return (x_BQD.to(wide) + (vector_BQD * scale_).to(wide)).to(x_BQD.scalar_type());
  }

  bool shift_invariant() const override { return false; }
  bool touches_input() const override { return true; }
  bool touches_logits(int64_t) const override { return false; }

  std::vector<CardFact> facts(int64_t) const override {
    std::vector<double> wavelengths;
    for (const double frequency : frequencies_) wavelengths.push_back(2 * M_PI / frequency);
    return {text_fact("table", name_of(kSinusoidTables, table_)), number_fact("scale", scale_),
            list_fact("wavelengths", std::move(wavelengths))};
  }

 private:
  SinusoidTable table_;
  double scale_;
  std::vector<double> frequencies_;  // plain doubles: a cast of the module must not round them
};

MakeEncoding read_sinusoidal(ConfigNode& options, const ModelShape& shape) {
  const auto table =
      options.choice("table", kSinusoidTables, SinusoidTable::kInterleaved, "order and spacing of the sinusoids");
  const double scale = options.number("scale", 1.0, {}, "multiplies the vector that is added");
  const int64_t least = table == SinusoidTable::kTensor2Tensor ? 4 : 2;  // its exponent divides by width / 2 - 1
  options.require(shape.width >= least && shape.width % 2 == 0, "table",
                  found(name_of(kSinusoidTables, table), " with a model width of ", shape.width)
                      .allowed("an even width, ", least, " or more"));
  return maker_of<Sinusoidal>(shape.width, table, scale);
}

}  // namespace

extern const EncodingInfo sinusoidal_encoding{
    .name = "sinusoidal",
    .summary = "fixed sines and cosines added to the embeddings",
    .paper = "Vaswani et al. 2017, arXiv:1706.03762",
    .golden = "DistilBERT, Marian and M2M-100",
    .read = read_sinusoidal,
};

}  // namespace lw
