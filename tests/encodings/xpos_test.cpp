// xPos against torchscale's logits and the closed form of the decay.
#include "tests/encodings/effective_distance.h"

namespace lw::encoding_test {
namespace {

using Catch::Matchers::ContainsSubstring;

ModelShape xpos_shape(int64_t train_length = 16) {
  ModelShape shape = small_shape();
  shape.width = shape.head_width = 8;
  shape.heads = 1;
  shape.train_length = train_length;
  return shape;
}

std::shared_ptr<PositionEncoding> xpos(const std::string& more = "", int64_t train_length = 16) {
  return build("scheme: xpos\n" + more, xpos_shape(train_length));
}

/// The golden file's q_i = sin(0.1 (i + 1)) and k_i = cos(0.2 (i + 1)) at every position: [1, 1, T, 8].
at::Tensor golden_query(int64_t length) {
  return (at::arange(1, 9, at::kDouble) * 0.1).sin().expand({1, 1, length, 8});
}
at::Tensor golden_key(int64_t length) { return (at::arange(1, 9, at::kDouble) * 0.2).cos().expand({1, 1, length, 8}); }

/// Their product at query position m and key position n, no scale.
double product(PositionEncoding& encoding, int64_t m, int64_t n, at::ScalarType type = at::kDouble) {
  const Site at{positions(1, m), positions(1, n), 0, nullptr};
  const auto q = encoding.rotate_query(golden_query(1).to(type), at),
             k = encoding.rotate_key(golden_key(1).to(type), at);
  return (q * k).to(at::kDouble).sum().item<double>();
}

}  // namespace

TEST_CASE("xPos has torchscale's decay, logits and closed form", "[encodings][golden]") {
  const Json& golden = goldens()["xpos"];
  CHECK(worst_relative(fact_numbers(*xpos(), "zeta"), numbers_of(golden["scale_vector zeta (d=8)"])) < kGoldenDigits);
  int checked = 0;
  for (const auto& [key, value] :
       golden["length 12 logits (q_i=sin(0.1(i+1)), k_i=cos(0.2(i+1)) at every position)"].items()) {
    INFO(key);
    const int64_t m = std::stoll(key.substr(2)), n = std::stoll(key.substr(key.find("n=") + 2));
    CHECK(product(*xpos(), m, n) == Catch::Approx(value.get<double>()).epsilon(2e-11));
    ++checked;
  }
  for (const auto& [key, value] : golden["closed form (verified against torchscale)"].items()) {
    INFO(key);
    const int64_t distance = std::stoll(key.substr(key.find('=') + 1));
    for (const int64_t first : {0, 3, 5000})
      CHECK(product(*xpos(), first + distance, first) == Catch::Approx(value.get<double>()).epsilon(2e-11));
    ++checked;
  }
  CHECK(checked == 12);
}

// rotary-embedding-torch 27: queries were scaled without the offset of the cached keys.
TEST_CASE("xPos decodes against cached keys as it attends at once", "[encodings][fault][golden]") {
  const auto encoding = xpos();
  const auto pos = positions(12);
  std::vector<at::Tensor> cached;  // each key turned alone when it came
  for (int64_t n = 0; n < 12; ++n) {
    const auto here = positions(1, n);
    cached.push_back(encoding->rotate_key(golden_key(1), {here, here, 0, nullptr}));
  }
  const auto last = encoding->rotate_query(golden_query(1), {positions(1, 11), pos, 0, nullptr});
  const auto decoded = at::matmul(last, at::cat(cached, 2).transpose(-1, -2)).flatten();
  CHECK(decoded[9].item<double>() == Catch::Approx(0.819599737533).epsilon(2e-11));
  const Site at{pos, pos, 0, nullptr};
  const auto full = at::matmul(encoding->rotate_query(golden_query(12), at),
                               encoding->rotate_key(golden_key(12), at).transpose(-1, -2));
  CHECK(largest_gap(decoded, full[0][0][11]) < 1e-14);
  CHECK(encoding->key_cache() == KeyCache::kRotated);
}

TEST_CASE("xPos's centre cancels in every product", "[encodings]") {
  const auto want = logits_of(*build("scheme: xpos\ncentre: 0\n"), 40);
  for (const std::string centre : {"8", "20.5", "5000", "31000"})
    CHECK(largest_gap(logits_of(*build("scheme: xpos\ncentre: " + centre + "\n"), 40), want) < 1e-12);
  CHECK(fact_number(*build("scheme: xpos\n"), "centre") == 8);
}

TEST_CASE("xPos equals its definition pair by pair, in both layouts", "[encodings]") {
  const auto q = draw({1, 2, 40, 8}, "q"), k = draw({1, 2, 40, 8}, "k");
  for (const bool half : {false, true}) {
    const auto got =
        logits_of(*build("scheme: xpos\nscale_base: 32\ngamma: 0.7\n" + std::string(half ? "layout: half\n" : "")), 40);
    for (int64_t i = 0; i < 40; ++i)
      for (int64_t j = 0; j <= i; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < 4; ++p) {
          const int64_t a = half ? p : 2 * p, b = half ? p + 4 : 2 * p + 1;
          const double angle = double(i - j) * std::pow(10000.0, -double(p) / 4);
          const double decay = std::pow((2 * double(p) + 0.7 * 8) / (1.7 * 8), double(i - j) / 32);
          const double x = q[0][0][i][a].item<double>(), y = q[0][0][i][b].item<double>();
          sum += decay * ((x * std::cos(angle) - y * std::sin(angle)) * k[0][0][j][a].item<double>() +
                          (x * std::sin(angle) + y * std::cos(angle)) * k[0][0][j][b].item<double>());
        }
        CHECK(std::abs(got[0][0][i][j].item<double>() - sum / std::sqrt(8.0)) < 1e-12);
      }
  }
}

TEST_CASE("xPos without decay is RoPE, and decays nothing that is not turned", "[encodings]") {
  CHECK(worst_gap_to_rope("scheme: xpos\nlayout: half\nscale_base: 1e18\n", 40) < 1e-12);
  CHECK(worst_gap_to_rope("scheme: xpos\nlayout: half\ngamma: 1e18\n", 40) < 1e-12);
  CHECK(worst_gap_to_rope("scheme: xpos\nlayout: half\n", 40) > 1e-3);
  CHECK_FALSE(build("scheme: xpos\nscale_base: 1e18\n")->max_positions().has_value());
  for (const std::string layout : {"half", "interleaved"}) {
    const auto partial = build("scheme: xpos\npartial_rotary_factor: 0.5\nlayout: " + layout + "\n");
    const auto x = draw({1, 1, 1, 8}, "x");
    const auto y = partial->rotate_key(x, {positions(1, 900), positions(1, 900), 0, nullptr});
    CHECK(at::equal(y.slice(-1, 4, 8), x.slice(-1, 4, 8)));
    CHECK((y.slice(-1, 0, 4) != x.slice(-1, 0, 4)).all().item<bool>());
  }
}

// Without a bound, keys are infinite in float32 past position 36259, and in float16 past 4532.
TEST_CASE("xPos ends where float32 would, and says so", "[encodings][fault]") {
  for (const std::string centre : {"", "centre: 0\n", "centre: 20000\n"}) {
    INFO(centre);
    const auto encoding = xpos(centre, 2048);
    const int64_t bound = encoding->max_positions().value();
    CHECK(bound == 31728);
    for (const auto type : {at::kFloat, at::kBFloat16, at::kHalf, at::kDouble}) {
      const double tolerance = type == at::kBFloat16 ? 0.05 : type == at::kHalf ? 2e-3 : 1e-5;
      for (const int64_t first : {0, 5000, 16000, int(bound) - 3})
        CHECK(product(*encoding, first + 2, first, type) == Catch::Approx(0.819599737533).margin(tolerance));
      CHECK(std::abs(product(*encoding, bound - 1, 0, type)) < 1e-5);  // decayed; not infinity times 0
      CHECK(std::isfinite(product(*encoding, 0, bound - 1, type)));    // a key ahead, which is masked later
    }
    encoding->check_positions(positions(1, bound - 1));
    CHECK_THROWS_WITH(encoding->check_positions(positions(2, bound - 1)),
                      "position 31728 is not defined; allowed: 0 to 31727");
  }
}

TEST_CASE("xPos's options are checked", "[encodings]") {
  CHECK_THAT(config_error("scheme: xpos\nscale_base: 0\n"),
             ContainsSubstring("position.yaml:2:13: scale_base: found '0'"));
  CHECK_THAT(config_error("scheme: xpos\nscale_base: 0.01\n"),
             ContainsSubstring("scale_base: found 0.01, under which"));
  CHECK_THAT(config_error("scheme: xpos\ngamma: -0.4\n"), ContainsSubstring("position.yaml:2:8: gamma: found '-0.4'"));
  CHECK_THAT(config_error("scheme: xpos\ncentre: 40000\n"),
             ContainsSubstring("position.yaml:2:9: centre: found 40000; allowed: 0 to 31728"));
  for (const auto& fact : build("scheme: xpos\n")->facts(16))
    if (fact.name == "layout") CHECK(fact.value == "interleaved");
}

}  // namespace lw::encoding_test
