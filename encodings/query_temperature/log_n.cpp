// log_n: max(1, ln(m + 1) / ln(L)), with L the original length. Su 2021, kexue.fm 8823 ("scaling attention by the
// logarithm of the length"), in the clipped form of ReRoPE (kexue.fm 9708) and of Self-Extend's code.
#include <cmath>

#include "encodings/parts/facts.h"
#include "encodings/query_temperature/query_temperature.h"
#include "encodings/tensor.h"
#include "harness/base/config.h"

namespace lw {
namespace {

class LogN final : public QueryTemperature {
 public:
  explicit LogN(double original_length) : original_length_(original_length) {}

  at::Tensor factor(const at::Tensor& m) const override {
    return ((m + 1).log() / std::log(original_length_)).clamp_min(1);
  }
  int64_t changes_after() const override { return int64_t(original_length_); }
  std::vector<CardFact> facts() const override {
    return {number_fact("original_max_position_embeddings", original_length_)};
  }

 private:
  double original_length_;
};

}  // namespace

extern const QueryTemperatureInfo log_n_temperature{
    .name = "log_n",
    .summary = "max(1, ln(m + 1) / ln(original length)) at position m",
    .read = [](ConfigNode& options, const ModelShape& shape) -> std::shared_ptr<const QueryTemperature> {
      return std::make_shared<LogN>(read_trained_length(options, shape, 2));  // ln(1) would divide
    }};

}  // namespace lw
