// Our float64 frequencies, as they are and rounded to float32, against what peers compute in float32.
#include "tests/encodings/rope_support.h"

namespace lw::encoding_test {
namespace {

/// Nine digits name one float32.
std::vector<double> float32_numbers(const Json& list) {
  auto out = numbers_of(list);
  for (double& x : out) x = double(float(x));
  return out;
}

}  // namespace

TEST_CASE("peers' float32 frequencies are as far from ours as from their own float64", "[encodings][golden]") {
  static const std::map<std::string, std::string> functions = {
      {"default", "_def"},
      {"linear", "_compute_linear_scaling_rope_parameters"},
      {"proportional", "_compute_proportional_rope_parameters"},
      {"yarn", "_compute_yarn_parameters"},
      {"llama3", "_compute_llama3_parameters"},
      {"dynamic", "_compute_dynamic_ntk_parameters"},
      {"longrope", "_compute_longrope_parameters"}};
  static const std::map<std::string, double> tolerances = {{"dynamic", 6e-7}, {"llama3", 1.7e-6}};
  const Json& measured = goldens()["f32_vs_f64_worst_relative_inv_freq"];
  CHECK(measured.size() == functions.size());
  std::map<std::string, int> checked;
  for (const auto& [key, value] : goldens()["rope_f32"].items()) {
    INFO(key);
    const std::string type = golden_fields(key)[""];
    const GoldenRope ours = golden_rope(key);
    const auto theirs = float32_numbers(value[0]);
    // The file gives three digits of the worst gap that was measured over all settings.
    CHECK(worst_relative(ours.inv_freq(), theirs) <= measured.at(functions.at(type)).get<double>() * 1.005);
    auto rounded = ours.inv_freq();
    for (double& w : rounded) w = double(float(w));
    const auto tolerance = tolerances.find(type);
    CHECK(worst_relative(rounded, theirs) < (tolerance == tolerances.end() ? 4e-7 : tolerance->second));
    CHECK(std::abs(ours.attention_factor() / value[1].get<double>() - 1) < 1e-8);
    ++checked[type];
  }
  CHECK(checked == std::map<std::string, int>{{"default", 4},
                                              {"dynamic", 24},
                                              {"linear", 8},
                                              {"llama3", 8},
                                              {"longrope", 8},
                                              {"proportional", 8},
                                              {"yarn", 8}});
}

TEST_CASE("the YaRN authors' float32 frequencies are within float32 of ours", "[encodings][golden]") {
  int checked = 0;
  for (const auto& [key, value] : goldens()["originals_f32"].items()) {
    INFO(key);
    CHECK(worst_relative(golden_rope(key).inv_freq(), float32_numbers(value)) < 6e-7);
    ++checked;
  }
  CHECK(checked == 16);
}

// gpt-neox 1003, transformers 25681, modded-nanogpt 39: frequencies that followed the model's cast.
TEST_CASE("a cast of the module leaves the cosines at position 131071 alone, for every rope_type", "[encodings]") {
  constexpr int64_t kPosition = 131071;
  for (const auto& type : types_with()) {
    INFO(type);
    const auto rope = rope_with(scaling_block(type, 32), 64);
    const auto w = fact_numbers(*rope, "inv_freq", kPosition + 1);
    const double factor = fact_number(*rope, "attention_factor", kPosition + 1);
    rope->to(at::kBFloat16);
    const Site at{positions(1, kPosition), positions(1, kPosition), 0, nullptr};
    struct Case {
      at::ScalarType type;
      double tolerance;
    };
    for (const auto& [scalar, tolerance] :
         {Case{at::kDouble, 1e-10}, Case{at::kFloat, 1e-7}, Case{at::kBFloat16, 0.004}}) {
      auto x = at::zeros({1, 1, 1, 64}, scalar);
      x.slice(-1, 0, 32) = 1;
      for (const auto& turned : {rope->rotate_query(x, at), rope->rotate_key(x, at)}) {
        CHECK(turned.scalar_type() == scalar);
        const auto y = turned.to(at::kDouble).flatten();
        double worst = 0;
        for (size_t i = 0; i < w.size(); ++i) {
          worst = std::max(worst, std::abs(y[int64_t(i)].item<double>() - factor * std::cos(double(kPosition) * w[i])));
          worst = std::max(worst,
                           std::abs(y[int64_t(i) + 32].item<double>() - factor * std::sin(double(kPosition) * w[i])));
        }
        CHECK(worst < tolerance * factor);
      }
    }
  }
}

}  // namespace lw::encoding_test
