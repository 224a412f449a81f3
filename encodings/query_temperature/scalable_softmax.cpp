// scalable_softmax: s ln(n), with s learned for each layer and head and n the number of keys that a causal query sees.
// Nakanishi 2025, "Scalable-Softmax Is Superior for Attention", arXiv:2501.19399. n is taken as m + 1. Without an
// `init`, s starts where the factor is 1 on average over the training length.
#include <cmath>

#include "encodings/parts/facts.h"
#include "encodings/query_temperature/query_temperature.h"
#include "encodings/tensor.h"
#include "harness/base/config.h"
#include "harness/base/text.h"

namespace lw {
namespace {

class ScalableSoftmax final : public QueryTemperature {
 public:
  explicit ScalableSoftmax(double init) : init_(init) {}

  at::Tensor factor(const at::Tensor& m) const override { return (m + 1).log(); }
  std::vector<CardFact> facts() const override { return {number_fact("init", init_)}; }
  std::optional<double> learned_init() const override { return init_; }

 private:
  double init_;
};

/// 1 / mean of ln(n), n = 1 .. length.
double default_init(int64_t length) {
  double sum = 0;
  for (int64_t n = 1; n <= length; ++n) sum += std::log(double(n));
  return sum > 0 ? double(length) / sum : 1.0;
}

}  // namespace

extern const QueryTemperatureInfo scalable_softmax_temperature{
    .name = "scalable_softmax",
    .summary = "s ln(m + 1), s learned for each layer and head; causal models",
    .read = [](ConfigNode& options, const ModelShape& shape) -> std::shared_ptr<const QueryTemperature> {
      options.require(shape.causal, "kind",
                      found("scalable_softmax", " for an encoder, where the number of visible keys is not the position")
                          .allowed("a decoder, or another kind"));
      return std::make_shared<ScalableSoftmax>(
          options.number("init", default_init(shape.train_length), {.min = 0.0, .above_min = true},
                         "where s starts; by default the factor is 1 on average over the training length"));
    }};

}  // namespace lw
