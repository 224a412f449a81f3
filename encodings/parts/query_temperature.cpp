// Query temperatures: each query, after its rotation, times a number that grows with its position m, since the
// softmax over more keys is flatter. Keys are untouched, so a key cache stays as valid as it was.
// log_n: max(1, ln(m + 1) / ln(L)). Su 2021, kexue.fm 8823 ("scaling attention by the logarithm of the length"),
//   in the clipped form of ReRoPE (kexue.fm 9708) and of Self-Extend's code.
// llama4: 1 + scale ln(1 + floor((m + 1) / floor_scale)). Llama 4 (Meta 2025; Hugging Face modeling_llama4).
//   Deviation from Hugging Face: m is the token's position, which left padding does not shift; there it is counted
//   from the cache.
// mistral4: 1 + beta ln(1 + floor(m / L)). Ministral 3 and Mistral 4 (Hugging Face get_llama_4_attn_scale): its
//   first step is one position later than llama4's.
// scalable_softmax: s ln(n), s learned for each layer and head, n the number of keys that a causal query sees.
//   Nakanishi 2025, "Scalable-Softmax Is Superior for Attention", arXiv:2501.19399. n is taken as m + 1. Without
//   an `init`, s starts where the factor is 1 on average over the training length.
#include "encodings/parts/query_temperature.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "encodings/parts/facts.h"
#include "encodings/parts/plain_logits.h"
#include "encodings/parts/precision.h"
#include "harness/base/config.h"

namespace lw {
namespace {

enum class TemperatureKind { kLogN, kLlama4, kMistral4, kScalableSoftmax };

const NamedValues<TemperatureKind> kTemperatureKinds = {
    {TemperatureKind::kLogN, "log_n", "max(1, ln(m + 1) / ln(original length)) at position m"},
    {TemperatureKind::kLlama4, "llama4", "1 + attn_scale ln(1 + floor((m + 1) / floor_scale))"},
    {TemperatureKind::kMistral4, "mistral4", "1 + beta ln(1 + floor(m / original length))"},
    {TemperatureKind::kScalableSoftmax, "scalable_softmax",
     "s ln(m + 1), s learned for each layer and head; causal models"}};

struct Temperature {
  TemperatureKind kind = TemperatureKind::kLogN;
  double length = 0;  // log_n, mistral4: the original length; llama4: floor_scale
  double scale = 0;   // llama4: attn_scale; mistral4: beta; scalable_softmax: the start of s

  /// At each position, for scalable_softmax without s; 1 for padding. float64.
  at::Tensor factor(const at::Tensor& pos) const {
    const auto m = pos.clamp_min(0).to(at::kDouble);
    at::Tensor out;
    switch (kind) {
      case TemperatureKind::kLogN:
        out = ((m + 1).log() / std::log(length)).clamp_min(1);
        break;
      case TemperatureKind::kLlama4:
        out = ((m + 1) / length).floor().log1p() * scale + 1;
        break;
      case TemperatureKind::kMistral4:
        out = (m / length).floor().log1p() * scale + 1;
        break;
      case TemperatureKind::kScalableSoftmax:
        out = (m + 1).log();
        break;
    }
    return at::where(pos > kPadding, out, at::ones_like(out));
  }
};

class QueryTemperature final : public PositionEncoding, public PlainLogits {
 public:
  QueryTemperature(std::shared_ptr<PositionEncoding> inner, const Temperature& temperature, const ModelShape& shape)
      : inner_(std::move(inner)), temperature_(temperature) {
    // Not as one submodule: its name would stand before every parameter's.
    register_all_of(*inner_);
    if (temperature_.kind == TemperatureKind::kScalableSoftmax)
      scale_LH_ = register_parameter("query_temperature",
                                     at::full({shape.layers, shape.heads}, temperature_.scale, at::kFloat));
  }

  at::Tensor embed(const at::Tensor& x_BQD, const at::Tensor& pos_BQ) override { return inner_->embed(x_BQD, pos_BQ); }

  at::Tensor rotate_query(const at::Tensor& q_BHQE, const Site& at) override {
    const auto rotated_BHQE = inner_->rotate_query(q_BHQE, at);
    const auto wide = wide_type(rotated_BHQE);
    auto factor_BHQ1 = temperature_.factor(at.query_pos_BQ).to(wide).unsqueeze(1).unsqueeze(-1);
    if (scale_LH_.defined()) {
      const auto scale_1H11 = scale_LH_[at.layer].to(wide).view({1, -1, 1, 1});
      const auto real_B1Q1 = (at.query_pos_BQ > kPadding).unsqueeze(1).unsqueeze(-1);
      factor_BHQ1 = at::where(real_B1Q1, factor_BHQ1 * scale_1H11, factor_BHQ1);
    }
    return (rotated_BHQE.to(wide) * factor_BHQ1).to(rotated_BHQE.scalar_type());
  }

  at::Tensor rotate_key(const at::Tensor& k_BHKE, const Site& at) override { return inner_->rotate_key(k_BHKE, at); }
  at::Tensor adjust_logits(const at::Tensor& logits_BHQK, const at::Tensor& q_BHQE, const at::Tensor& k_BHKE,
                           const Site& at) override {
    return inner_->adjust_logits(logits_BHQK, q_BHQE, k_BHKE, at);
  }
  at::Tensor adjust_output(const at::Tensor& out_BHQE, const at::Tensor& weights_BHQK, const Site& at) override {
    return inner_->adjust_output(out_BHQE, weights_BHQK, at);
  }

  KeyCache key_cache() const override { return inner_->key_cache(); }
  KeyCache key_cache_of(int64_t layer) const override { return inner_->key_cache_of(layer); }
  std::vector<int64_t> layers_of_each_kind() const override { return inner_->layers_of_each_kind(); }
  std::optional<int64_t> max_positions() const override { return inner_->max_positions(); }
  bool shift_invariant() const override { return false; }
  bool touches_input() const override { return inner_->touches_input(); }
  bool touches_values() const override { return inner_->touches_values(); }
  bool plain_logits(int64_t layer) const override { return has_plain_logits(*inner_, layer); }
  at::Tensor bias_by_distance(const at::Tensor& ahead_N) const override { return inner_->bias_by_distance(ahead_N); }
  void constrain() override { inner_->constrain(); }

  void reset_parameters(Rng& rng) override {
    inner_->reset_parameters(rng);
    const at::NoGradGuard no_grad;
    if (scale_LH_.defined()) scale_LH_.fill_(temperature_.scale);
  }

  std::vector<CardFact> facts(int64_t length) const override {
    auto out = inner_->facts(length);
    const std::string name = "query_temperature";
    out.push_back(text_fact(name, name_of(kTemperatureKinds, temperature_.kind)));
    switch (temperature_.kind) {
      case TemperatureKind::kLogN:
        out.push_back(number_fact(name + ".original_max_position_embeddings", temperature_.length));
        break;
      case TemperatureKind::kLlama4:
        out.push_back(number_fact(name + ".attn_scale", temperature_.scale));
        out.push_back(number_fact(name + ".floor_scale", temperature_.length));
        break;
      case TemperatureKind::kMistral4:
        out.push_back(number_fact(name + ".beta", temperature_.scale));
        out.push_back(number_fact(name + ".original_max_position_embeddings", temperature_.length));
        break;
      case TemperatureKind::kScalableSoftmax:
        out.push_back(number_fact(name + ".init", temperature_.scale));
        break;
    }
    const auto last = temperature_.factor(at::full({1}, std::max<int64_t>(length, 1) - 1, at::kLong));
    out.push_back(number_fact(name + (scale_LH_.defined() ? ".at_last_position_over_s" : ".at_last_position"),
                              last.item<double>()));
    return out;
  }

 private:
  std::shared_ptr<PositionEncoding> inner_;
  Temperature temperature_;
  at::Tensor scale_LH_;  // undefined where nothing is learned
};

double read_length(ConfigNode& options, int64_t train_length, int64_t least) {
  constexpr auto kKey = "original_max_position_embeddings";
  const std::string doc = "tokens the model was trained on";
  return double(train_length >= least ? options.integer(kKey, train_length, {.min = least}, doc)
                                      : options.integer(kKey, {.min = least}, doc));
}

/// 1 / mean of ln(n), n = 1 .. length.
double start_of_scale(int64_t length) {
  double sum = 0;
  for (int64_t n = 1; n <= length; ++n) sum += std::log(double(n));
  return sum > 0 ? double(length) / sum : 1.0;
}

Temperature read_kind(ConfigNode& options, TemperatureKind kind, const ModelShape& shape) {
  Temperature t;
  t.kind = kind;
  switch (kind) {
    case TemperatureKind::kLogN:
      t.length = read_length(options, shape.train_length, 2);  // ln(1) would divide
      break;
    case TemperatureKind::kLlama4:
      t.scale = options.number("attn_scale", 0.1, {.min = 0.0, .above_min = true}, "weight of the logarithm");
      t.length = double(options.integer("floor_scale", 8192, {.min = 1, .max = 1 << 19}, "positions between steps"));
      break;
    case TemperatureKind::kMistral4:
      t.scale = options.number("beta", 0.1, {.min = 0.0, .above_min = true}, "weight of the logarithm");
      t.length = read_length(options, shape.train_length, 1);
      break;
    case TemperatureKind::kScalableSoftmax:
      options.require(shape.causal, "kind",
                      "found 'scalable_softmax' for an encoder, where the number of visible keys is not the position; "
                      "allowed: a decoder, or another kind");
      t.scale = options.number("init", start_of_scale(shape.train_length), {.min = 0.0, .above_min = true},
                               "where s starts; by default the factor is 1 on average over the training length");
      break;
  }
  return t;
}

}  // namespace

MakeEncoding with_query_temperature(ConfigNode& position, const ModelShape& shape, MakeEncoding inner) {
  constexpr auto kKey = "query_temperature";
  std::optional<Temperature> temperature;
  position.after_training([&]() -> std::optional<std::string> {
    ConfigNode options = position.map(kKey, "queries scaled by their position; goes with any scheme");
    if (!position.has(kKey)) return std::nullopt;
    options.variant("kind", choices_of(kTemperatureKinds), "", "the function of the position",
                    [&](size_t i) { temperature = read_kind(options, kTemperatureKinds[i].value, shape); });
    if (!temperature || temperature->kind == TemperatureKind::kScalableSoftmax) return std::nullopt;  // learned
    return name_of(kTemperatureKinds, temperature->kind) + " temperature";
  });
  if (!temperature) return inner;
  return [inner = std::move(inner), temperature = *temperature, shape]() -> std::shared_ptr<PositionEncoding> {
    return std::make_shared<QueryTemperature>(inner(), temperature, shape);
  };
}

}  // namespace lw
