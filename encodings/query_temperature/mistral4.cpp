// mistral4: 1 + beta ln(1 + floor(m / L)), with L the original length. Ministral 3 and Mistral 4 (Hugging Face
// get_llama_4_attn_scale): its first step is one position later than in llama4.
#include "encodings/parts/facts.h"
#include "encodings/query_temperature/query_temperature.h"
#include "encodings/tensor.h"
#include "harness/base/config.h"

namespace lw {
namespace {

class Mistral4 final : public QueryTemperature {
 public:
  Mistral4(double beta, double original_length) : beta_(beta), original_length_(original_length) {}

  at::Tensor factor(const at::Tensor& m) const override { return (m / original_length_).floor().log1p() * beta_ + 1; }
  int64_t changes_after() const override { return int64_t(original_length_); }
  std::vector<CardFact> facts() const override {
    return {number_fact("beta", beta_), number_fact("original_max_position_embeddings", original_length_)};
  }

 private:
  double beta_, original_length_;
};

}  // namespace

extern const QueryTemperatureInfo mistral4_temperature{
    .name = "mistral4",
    .summary = "1 + beta ln(1 + floor(m / original length))",
    .read = [](ConfigNode& options, const ModelShape& shape) -> std::shared_ptr<const QueryTemperature> {
      const double beta = options.number("beta", 0.1, {.min = 0.0, .above_min = true}, "weight of the logarithm");
      return std::make_shared<Mistral4>(beta, read_trained_length(options, shape, 1));
    }};

}  // namespace lw
