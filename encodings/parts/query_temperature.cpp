#include "encodings/parts/query_temperature.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "encodings/parts/facts.h"
#include "encodings/parts/precision.h"
#include "encodings/query_temperature/query_temperature.h"
#include "encodings/tensor.h"
#include "harness/base/config.h"

namespace lw {
namespace {

class WithQueryTemperature final : public PositionEncoding {
 public:
  WithQueryTemperature(std::shared_ptr<PositionEncoding> inner, const QueryTemperatureInfo& info,
                       std::shared_ptr<const QueryTemperature> temperature, const ModelShape& shape)
      : inner_(std::move(inner)), info_(info), temperature_(std::move(temperature)) {
    // Not registered as a submodule, whose name would become a prefix of every parameter.
    register_all_of(*inner_);
    if (const auto init = temperature_->learned_init())
      scale_LH_ = register_parameter("query_temperature", at::full({shape.layers, shape.heads}, *init, at::kFloat));
  }

  at::Tensor embed(const at::Tensor& x_BQD, const at::Tensor& pos_BQ) override { return inner_->embed(x_BQD, pos_BQ); }

  at::Tensor rotate_query(const at::Tensor& q_BHQE, const Site& at) override {
    const auto rotated_BHQE = inner_->rotate_query(q_BHQE, at);
    const auto wide = wide_type(rotated_BHQE);
    auto factor_BHQ1 = factor(at.query_pos_BQ).to(wide).unsqueeze(1).unsqueeze(-1);
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
  std::string undefined_position(int64_t position) const override { return inner_->undefined_position(position); }
  int64_t changes_after() const override { return std::max(inner_->changes_after(), temperature_->changes_after()); }
  bool shift_invariant() const override { return false; }
  bool touches_input() const override { return inner_->touches_input(); }
  bool touches_logits(int64_t layer) const override { return inner_->touches_logits(layer); }
  bool touches_values() const override { return inner_->touches_values(); }
  at::Tensor bias_by_distance(const at::Tensor& ahead_N) const override { return inner_->bias_by_distance(ahead_N); }
  void constrain() override { inner_->constrain(); }

  void reset_parameters(Rng& rng) override {
    inner_->reset_parameters(rng);
    const at::NoGradGuard no_grad;
    if (scale_LH_.defined()) scale_LH_.fill_(*temperature_->learned_init());
  }

  std::vector<CardFact> facts(int64_t length) const override {
    auto out = inner_->facts(length);
    const std::string name = "query_temperature";
    out.push_back(text_fact(name, std::string(info_.name)));
    for (auto& fact : temperature_->facts()) {
      fact.name = name + "." + fact.name;
      out.push_back(std::move(fact));
    }
    const auto last = factor(at::full({1}, std::max<int64_t>(length, 1) - 1, at::kLong));
    out.push_back(number_fact(name + (scale_LH_.defined() ? ".at_last_position_over_s" : ".at_last_position"),
                              last.item<double>()));
    return out;
  }

 private:
  /// The factor at each position without its learned part; 1 for padding. float64.
  at::Tensor factor(const at::Tensor& pos) const {
    const auto at_pos = temperature_->factor(pos.clamp_min(0).to(at::kDouble));
    return at::where(pos > kPadding, at_pos, at::ones_like(at_pos));
  }

  std::shared_ptr<PositionEncoding> inner_;
  const QueryTemperatureInfo& info_;
  std::shared_ptr<const QueryTemperature> temperature_;
  at::Tensor scale_LH_;  // undefined where nothing is learned
};

}  // namespace

MakeEncoding with_query_temperature(ConfigNode& position, const ModelShape& shape, MakeEncoding inner) {
  constexpr auto kKey = "query_temperature";
  const QueryTemperatureInfo* chosen = nullptr;
  std::shared_ptr<const QueryTemperature> temperature;
  position.after_training([&]() -> std::optional<std::string> {
    ConfigNode options = position.map(kKey, "queries scaled by their position; goes with any scheme");
    if (!position.has(kKey)) return std::nullopt;
    std::vector<Choice> choices;
    for (const auto* info : query_temperatures())
      choices.push_back({std::string(info->name), std::string(info->summary)});
    options.variant("kind", choices, "", "the function of the position", [&](size_t i) {
      chosen = query_temperatures()[i];
      temperature = chosen->read(options, shape);
    });
    if (!temperature || temperature->learned_init()) return std::nullopt;
    return std::string(chosen->name) + " temperature";
  });
  if (!temperature) return inner;
  return [inner = std::move(inner), chosen, temperature, shape]() -> std::shared_ptr<PositionEncoding> {
    return std::make_shared<WithQueryTemperature>(inner(), *chosen, temperature, shape);
  };
}

}  // namespace lw
