// KERPLE against the authors' numbers, and what keeps its parameters sane.
#include "tests/encodings/bias_support.h"

namespace lw::encoding_test {
namespace {

std::shared_ptr<PositionEncoding> kerple(const std::string& kind, int64_t heads, bool causal = true) {
  auto encoding = build("scheme: kerple\nkind: " + kind + "\n", shape_with(heads, causal));
  encoding->to(at::kDouble);
  return encoding;
}

}  // namespace

TEST_CASE("KERPLE's biases equal the authors', both kinds", "[encodings][golden]") {
  const Json& want = goldens()["kerple"];
  const auto check = [&](const std::string& kind, const std::string& key, std::vector<double> p,
                         std::vector<double> a) {
    INFO(key);
    const auto encoding = kerple(kind, 2);
    set_parameter(*encoding, "p", p);
    set_parameter(*encoding, "a", a);
    const auto bias = bias_of(*encoding, 2, positions(1, 8), positions(9))[0].squeeze(1).flip(-1);  // D = 0 .. 8
    for (int64_t h = 0; h < 2; ++h) CHECK(golden_gap(bias[h], numbers_of(want.at(key).at(size_t(h)))) < kTwelveDigits);
    CHECK(largest_gap(bias, encoding->bias_by_distance(-positions(9)[0])) < 1e-15);
  };
  check("log", "log: p=[1.3,0.7] a=[0.5,0.05]; bias at distance 0..8", {1.3, 0.7}, {0.5, 0.05});
  check("power", "power: a=[0.5,0.05] p=[1.3,0.7]; bias at distance 0..8", {1.3, 0.7}, {0.5, 0.05});
}

TEST_CASE("KERPLE's power 1 with ALiBi's slopes is ALiBi, for every head count", "[encodings]") {
  for (int64_t heads = 1; heads <= 33; ++heads) {
    INFO(heads);
    const auto power = kerple("power", heads), alibi = build("scheme: alibi\n", shape_with(heads));
    set_parameter(*power, "p", std::vector<double>(size_t(heads), 1.0));
    set_parameter(*power, "a", fact_numbers(*alibi, "slopes"));
    CHECK(largest_gap(bias_of(*power, heads, positions(300), positions(300)),
                      bias_of(*alibi, heads, positions(300), positions(300))) < 1e-13);
  }
}

TEST_CASE("KERPLE has two numbers a head, drawn from their ranges and shared by all layers", "[encodings]") {
  for (const char* kind : {"log", "power"}) {
    INFO(kind);
    const auto encoding = build(std::string("scheme: kerple\nkind: ") + kind + "\n", shape_with(500));
    Rng rng(3);
    encoding->reset_parameters(rng);
    CHECK(encoding->parameters().size() == 2);
    for (const auto& [name, high] : {std::pair{"p", 2.0}, std::pair{"a", 1.0}}) {
      const auto drawn = encoding->named_parameters()[name];
      CHECK(drawn.numel() == 500);
      CHECK(drawn.min().item<double>() >= 0.0099999);
      CHECK(drawn.max().item<double>() <= high);
      CHECK(drawn.mean().item<double>() == Catch::Approx(high / 2).epsilon(0.1));
      CHECK(drawn.std().item<double>() == Catch::Approx(high / std::sqrt(12.0)).epsilon(0.1));
    }
    const auto logits = draw({1, 500, 3, 3}, "logits");
    CHECK(at::equal(encoding->adjust_logits(logits, {}, {}, {positions(3), positions(3), 0, nullptr}),
                    encoding->adjust_logits(logits, {}, {}, {positions(3), positions(3), 1, nullptr})));
  }
}

TEST_CASE("KERPLE's parameters are put back into their range after a step", "[encodings]") {
  for (const bool power : {false, true}) {
    const auto encoding = kerple(power ? "power" : "log", 3);
    set_parameter(*encoding, "p", {-1, 1.5, 7});
    set_parameter(*encoding, "a", {0.001, 0.4, 30});
    encoding->constrain();
    CHECK(fact_numbers(*encoding, "p") == std::vector<double>{0.01, 1.5, power ? 2.0 : 7.0});
    CHECK(fact_numbers(*encoding, "a") == std::vector<double>{0.01, 0.4, 30});
  }
}

TEST_CASE("KERPLE's gradient is finite at distance 0 and equals differences", "[encodings]") {
  for (const char* kind : {"log", "power"}) {
    INFO(kind);
    const auto encoding = kerple(kind, 2);
    set_parameter(*encoding, "p", {0.01, 1.7});
    set_parameter(*encoding, "a", {0.8, 0.01});
    const auto weights = draw({1, 2, 6, 6}, "weights");
    const auto loss = [&] { return (bias_of(*encoding, 2, positions(6), positions(6)) * weights).sum(); };
    loss().backward();
    for (const auto& parameter : encoding->named_parameters()) {
      INFO(parameter.key());
      const at::NoGradGuard no_grad;
      for (int64_t h = 0; h < 2; ++h) {
        auto value = parameter.value()[0][h];
        constexpr double kStep = 1e-6;
        value.add_(kStep);
        const double above = loss().item<double>();
        value.sub_(2 * kStep);
        const double below = loss().item<double>();
        value.add_(kStep);
        CHECK(parameter.value().grad()[0][h].item<double>() ==
              Catch::Approx((above - below) / (2 * kStep)).epsilon(1e-7));
      }
    }
    // All pairs at distance 0: nothing to learn, and no NaN.
    encoding->zero_grad();
    bias_of(*encoding, 2, positions(1, 4), positions(1, 4)).sum().backward();
    for (const auto& parameter : encoding->parameters()) CHECK(parameter.grad().abs().max().item<double>() == 0);
  }
}

TEST_CASE("without a causal mask KERPLE's penalty is symmetric", "[encodings]") {
  for (const char* kind : {"log", "power"}) {
    const auto encoding = kerple(kind, 3, false);
    const auto bias = bias_of(*encoding, 3, positions(9), positions(9));
    CHECK(at::equal(bias, bias.transpose(-1, -2)));
    CHECK(bias[0][0][0][8].item<double>() < bias[0][0][0][7].item<double>());
  }
}

TEST_CASE("an unknown kind of KERPLE is refused", "[encodings]") {
  CHECK_THAT(config_error("scheme: kerple\nkind: logarithm\n"),
             Catch::Matchers::ContainsSubstring("position.yaml:2:7: kind: found 'logarithm'; allowed: log, power"));
}

}  // namespace lw::encoding_test
