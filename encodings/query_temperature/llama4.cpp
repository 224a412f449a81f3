// llama4: 1 + scale ln(1 + floor((m + 1) / floor_scale)). Llama 4 (Meta 2025; Hugging Face modeling_llama4).
// Deviation from Hugging Face: here m is the token's position, which left padding does not shift; Hugging Face counts m
// from the cache.
#include "encodings/parts/facts.h"
#include "encodings/query_temperature/query_temperature.h"
#include "encodings/tensor.h"
#include "harness/base/config.h"

namespace lw {
namespace {

class Llama4 final : public QueryTemperature {
 public:
  Llama4(double attn_scale, double floor_scale) : attn_scale_(attn_scale), floor_scale_(floor_scale) {}

  at::Tensor factor(const at::Tensor& m) const override {
    return ((m + 1) / floor_scale_).floor().log1p() * attn_scale_ + 1;
  }
  int64_t changes_after() const override { return int64_t(floor_scale_); }
  std::vector<CardFact> facts() const override {
    return {number_fact("attn_scale", attn_scale_), number_fact("floor_scale", floor_scale_)};
  }

 private:
  double attn_scale_, floor_scale_;
};

}  // namespace

extern const QueryTemperatureInfo llama4_temperature{
    .name = "llama4",
    .summary = "1 + attn_scale ln(1 + floor((m + 1) / floor_scale))",
    .read = [](ConfigNode& options, const ModelShape&) -> std::shared_ptr<const QueryTemperature> {
      const double attn_scale =
          options.number("attn_scale", 0.1, {.min = 0.0, .above_min = true}, "weight of the logarithm");
      const auto floor_scale =
          double(options.integer("floor_scale", 8192, {.min = 1, .max = 1 << 19}, "positions between steps"));
      return std::make_shared<Llama4>(attn_scale, floor_scale);
    }};

}  // namespace lw
