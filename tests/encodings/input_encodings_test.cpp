// Encodings that are added to the token embeddings: sinusoids and learned tables.
#include "tests/encodings/support.h"

namespace lw::encoding_test {
namespace {

ModelShape with_width(int64_t width) {
  ModelShape shape = small_shape();
  shape.width = width;
  return shape;
}

/// What is added at one position.
at::Tensor added(PositionEncoding& encoding, int64_t width, int64_t position, at::ScalarType type = at::kDouble) {
  return encoding.embed(at::zeros({1, 1, width}, type), positions(1, position)).flatten();
}

}  // namespace

TEST_CASE("the three sinusoid tables equal the peers'", "[encodings][golden]") {
  const std::map<std::string, std::string> names = {{"paper_interleaved", "interleaved"},
                                                    {"half_split(marian)", "half_split"},
                                                    {"tensor2tensor_half-1(m2m100)", "tensor2tensor"}};
  int checked = 0;
  for (const auto& [key, value] : goldens()["sinusoidal"].items()) {
    auto fields = golden_fields(key);
    REQUIRE(names.count(fields[""]) == 1);
    INFO(key);
    const int64_t width = std::stoll(fields["d"]);
    const auto encoding = build("scheme: sinusoidal\ntable: " + names.at(fields[""]) + "\n", with_width(width));
    const auto want = at::tensor(value.get<std::vector<double>>(), at::kDouble);
    CHECK(largest_gap(added(*encoding, width, std::stoll(fields["pos"])), want) < kGoldenDigits);
    CHECK(largest_gap(added(*encoding, width, std::stoll(fields["pos"]), at::kFloat), want) < 1e-7);
    ++checked;
  }
  CHECK(checked == 30);
}

// Fault 57: the exponent 2j/d with j already doubled, or cosines with an exponent of their own.
TEST_CASE("a sinusoid's channel 2 at position 100", "[encodings]") {
  const auto encoding = build("scheme: sinusoidal\n", with_width(16));
  const auto vector = added(*encoding, 16, 100);
  CHECK(vector[2].item<double>() == Catch::Approx(0.205378).epsilon(1e-5));
  CHECK(vector[2].item<double>() == Catch::Approx(std::sin(100 * std::pow(10000.0, -2.0 / 16))).epsilon(1e-14));
  CHECK(vector[3].item<double>() == Catch::Approx(std::cos(100 * std::pow(10000.0, -2.0 / 16))).epsilon(1e-14));
}

// Fault 58: a crash, or a table that is one channel short.
TEST_CASE("sinusoids of an odd width are refused", "[encodings]") {
  using Catch::Matchers::ContainsSubstring;
  for (const std::string table : {"interleaved", "half_split", "tensor2tensor"})
    CHECK_THAT(config_error("scheme: sinusoidal\ntable: " + table + "\n", with_width(5)),
               ContainsSubstring("table: found '" + table + "' with a model width of 5; allowed: an even width"));
  CHECK_THAT(config_error("scheme: sinusoidal\ntable: tensor2tensor\n", with_width(2)), ContainsSubstring("4 or more"));
  CHECK(config_error("scheme: sinusoidal\n", with_width(2)).empty());
}

TEST_CASE("a sinusoid's scale multiplies the vector and not the token", "[encodings]") {
  const auto plain = build("scheme: sinusoidal\n"), scaled = build("scheme: sinusoidal\nscale: 0.25\n");
  const auto x = draw({2, 5, 32}, "x");
  const auto pos = positions(5, 3);
  CHECK(largest_gap(scaled->embed(x, pos) - x, (plain->embed(x, pos) - x) * 0.25) < 1e-15);
}

TEST_CASE("half-precision embeddings get a vector formed in float32", "[encodings]") {
  const auto encoding = build("scheme: sinusoidal\n");
  encoding->to(at::kBFloat16);
  const auto x = draw({1, 4, 32}, "x").to(at::kBFloat16);
  const auto wide = encoding->embed(x.to(at::kFloat), positions(4, 2045));
  CHECK(at::equal(encoding->embed(x, positions(4, 2045)), wide.to(at::kBFloat16)));
}

TEST_CASE("a learned table adds the row of each position", "[encodings]") {
  const auto encoding = build_drawn("scheme: learned\npositions: 24\n");
  CHECK(encoding->max_positions() == 24);
  const auto table = encoding->parameters().front();
  CHECK(table.sizes().vec() == std::vector<int64_t>{24, 32});
  const auto x = draw({2, 3, 32}, "x");
  const auto pos = row_tensor({{0, 23, 7}, {7, 0, 1}});
  const auto out = encoding->embed(x, pos);
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t t = 0; t < 3; ++t) CHECK(at::equal(out[b][t], x[b][t] + table[pos[b][t].item<int64_t>()]));
}

TEST_CASE("a learned table has as many rows as the training length unless told", "[encodings]") {
  CHECK(build("scheme: learned\n")->max_positions() == 16);
  ModelShape unknown = small_shape();
  unknown.train_length = 0;
  CHECK_THAT(config_error("scheme: learned\n", unknown),
             Catch::Matchers::ContainsSubstring("positions: found nothing"));
  CHECK_THAT(config_error("scheme: learned\npositions: 0\n"),
             Catch::Matchers::ContainsSubstring("positions: found '0'"));
}

TEST_CASE("a position outside a learned table is an error, never a wrapped or clamped row", "[encodings]") {
  const auto encoding = build("scheme: learned\n");
  const auto message = [&](const at::Tensor& pos) -> std::string {
    try {
      encoding->check_positions(pos);
    } catch (const Error& error) {
      return error.kind() == ErrorKind::kUnsupported ? error.what() : "another kind of error";
    }
    return "";
  };
  CHECK(message(positions(16)).empty());
  CHECK(message(positions(17)) == "no vector for position 16 (table holds 16)");
  CHECK(message(row_tensor({{0, -2, 3}})) == "no vector for position -2 (table holds 16)");
}

TEST_CASE("init_std is the spread of a learned table", "[encodings]") {
  const auto encoding = build("scheme: learned\npositions: 400\ninit_std: 0.5\n");
  Rng rng(1);
  encoding->reset_parameters(rng);
  CHECK(encoding->parameters().front().std().item<double>() == Catch::Approx(0.5).epsilon(0.02));
  CHECK(std::abs(encoding->parameters().front().mean().item<double>()) < 0.02);
}

}  // namespace lw::encoding_test
