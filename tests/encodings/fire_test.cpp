// FIRE against the paper's listing, and what its interpolation promises.
#include "tests/encodings/bias_support.h"

namespace lw::encoding_test {
namespace {

std::shared_ptr<PositionEncoding> golden_fire(bool causal = true) {
  auto encoding = build("scheme: fire\nmlp_width: 4\nthreshold: 6\n", shape_with(2, causal));
  encoding->to(at::kDouble);
  set_parameter(*encoding, "c", {0.1});
  set_parameter(*encoding, "mlp_in_weight", {1, -1, 2, 0.5});
  set_parameter(*encoding, "mlp_in_bias", {0, 0.5, -0.5, 0.1});
  set_parameter(*encoding, "mlp_out_weight", {1, 2, 3, 4, -1, 0.5, -0.25, 0.125});
  set_parameter(*encoding, "mlp_out_bias", {0.1, -0.1});
  return encoding;
}

/// One head that gives its argument.
std::shared_ptr<PositionEncoding> bare_fire(bool causal = true) {
  auto encoding = build("scheme: fire\nmlp_width: 1\nthreshold: 6\n", shape_with(1, causal));
  encoding->to(at::kDouble);
  set_parameter(*encoding, "c", {0.1});
  set_parameter(*encoding, "mlp_in_weight", {1});
  set_parameter(*encoding, "mlp_out_weight", {1});
  return encoding;
}

}  // namespace

TEST_CASE("FIRE's bias rows equal the paper's listing", "[encodings][golden]") {
  const Json& want = goldens()["fire"];
  const auto encoding = golden_fire();
  for (const int64_t query : {9, 3}) {
    const auto row = bias_of(*encoding, 2, positions(1, query), positions(query + 1))[0].squeeze(1);
    for (int64_t h = 0; h < 2; ++h)
      CHECK(golden_gap(row[h], numbers_of(want["i=" + std::to_string(query)].at(size_t(h)))) < kTwelveDigits);
  }
  CHECK(golden_gap(bias_of(*bare_fire(), 1, positions(1, 9), positions(10)),
                   numbers_of(want["normalized distance i=9"])) < kTwelveDigits);
}

TEST_CASE("FIRE's argument stays in [0, 1) at every length", "[encodings]") {
  for (const bool causal : {true, false}) {
    const auto encoding = bare_fire(causal);
    const auto pos = row_tensor({{0, 1, 5, 6, 7, 1000, 999'999, 1'000'000'000}});
    const auto x = bias_of(*encoding, 1, pos, pos);
    CHECK(x.min().item<double>() == 0);
    CHECK(x.max().item<double>() < 1);
    CHECK(x.max().item<double>() > 0.99);
  }
}

TEST_CASE("FIRE depends on distance alone up to its threshold, and on the query's position beyond", "[encodings]") {
  const auto encoding = golden_fire();
  const auto at = [&](int64_t query, int64_t key) {
    return bias_of(*encoding, 2, positions(1, query), positions(1, key));
  };
  CHECK(at::equal(at(3, 1), at(6, 4)));
  CHECK(largest_gap(at(6, 4), at(7, 5)) > 1e-3);
  // The threshold is learned: twice as far with a multiplier of 2, of either sign.
  for (const double multiplier : {2.0, -2.0}) {
    set_parameter(*encoding, "l_multiplier", {multiplier});
    CHECK(at::equal(at(6, 4), at(12, 10)));
    CHECK(largest_gap(at(12, 10), at(13, 11)) > 1e-3);
    CHECK(fact_number(*encoding, "learned_threshold") == 12);
  }
}

TEST_CASE("a FIRE network without weights adds a constant, which changes no softmax", "[encodings]") {
  const auto encoding = build("scheme: fire\n");
  encoding->to(at::kDouble);
  set_parameter(*encoding, "mlp_out_bias", {1, 2, 3, 4});
  const auto logits = draw({1, 4, 9, 9}, "logits");
  const auto out = encoding->adjust_logits(logits, {}, {}, {positions(9), positions(9), 0, nullptr});
  CHECK(largest_gap(out.softmax(-1), logits.softmax(-1)) < 1e-14);
  CHECK(largest_gap(out.select(1, 2), logits.select(1, 2) + 3) < 1e-14);
}

TEST_CASE("FIRE in pieces without a gradient is FIRE at once with one", "[encodings]") {
  const auto encoding = build_drawn("scheme: fire\n");
  const auto with = bias_of(*encoding, 4, positions(200), positions(200));  // 40,000 pairs: three pieces
  const at::NoGradGuard no_grad;
  CHECK(largest_gap(with, bias_of(*encoding, 4, positions(200), positions(200))) < 1e-14);
}

TEST_CASE("without a causal mask FIRE is symmetric and counts from the later of the two", "[encodings]") {
  const auto encoding = golden_fire(false), causal = golden_fire();
  const auto bias = bias_of(*encoding, 2, positions(20), positions(20));
  CHECK(at::equal(bias, bias.transpose(-1, -2)));
  const auto lower = bias_of(*causal, 2, positions(20), positions(20));
  CHECK(at::equal(bias.tril(), lower.tril()));
}

TEST_CASE("FIRE has 66 + 33 H parameters, for all layers or for each", "[encodings]") {
  const auto count = [](const std::string& yaml) {
    int64_t total = 0;
    for (const auto& parameter : build(yaml)->parameters()) total += parameter.numel();
    return total;
  };
  CHECK(count("scheme: fire\n") == 66 + 33 * 4);
  CHECK(count("scheme: fire\nper_layer: true\n") == 2 * (66 + 33 * 4));
  const auto pos = positions(9);
  const auto logits = draw({1, 4, 9, 9}, "logits");
  for (const bool per_layer : {false, true}) {
    const auto encoding = build_drawn(per_layer ? "scheme: fire\nper_layer: true\n" : "scheme: fire\n");
    PassMemo memo;
    const auto first = encoding->adjust_logits(logits, {}, {}, {pos, pos, 0, &memo});
    CHECK(at::equal(first, encoding->adjust_logits(logits, {}, {}, {pos, pos, 1, &memo})) == !per_layer);
  }
}

TEST_CASE("FIRE starts where the listing does", "[encodings]") {
  const auto encoding = build_drawn("scheme: fire\nmlp_width: 400\n");
  const auto parameters = encoding->named_parameters();
  CHECK(fact_number(*encoding, "c") == Catch::Approx(0.1).epsilon(1e-7));
  CHECK(fact_number(*encoding, "learned_threshold") == 512);
  for (const auto& [name, bound] : {std::pair{"mlp_in_weight", 1.0}, std::pair{"mlp_out_weight", 0.05}}) {
    CHECK(parameters[name].abs().max().item<double>() <= bound);
    CHECK(parameters[name].std().item<double>() == Catch::Approx(bound / std::sqrt(3.0)).epsilon(0.1));
  }
}

TEST_CASE("FIRE without units or threshold is refused", "[encodings]") {
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(config_error("scheme: fire\nmlp_width: 0\n"),
             ContainsSubstring("position.yaml:2:12: mlp_width: found '0'"));
  CHECK_THAT(config_error("scheme: fire\nthreshold: 0\n"),
             ContainsSubstring("threshold: found '0'; allowed: a number above 0"));
}

}  // namespace lw::encoding_test
