// A learned table declared to reach further than its rows.
#include "tests/encodings/support.h"

namespace lw::encoding_test {
namespace {

using Catch::Matchers::ContainsSubstring;

/// The vectors of a table that holds 0, 1, 4, 9, at every position that has one.
std::vector<double> squares(const std::string& extension) {
  ModelShape shape = small_shape();
  shape.width = 1;
  const auto encoding = build("scheme: learned\npositions: 4\n" + extension, shape);
  encoding->to(at::kDouble);
  {
    const at::NoGradGuard no_grad;
    encoding->parameters().front().copy_(at::tensor({0.0, 1.0, 4.0, 9.0}, at::kDouble).unsqueeze(1));
  }
  const int64_t reach = encoding->max_positions().value();
  const auto out = encoding->embed(at::zeros({1, reach, 1}, at::kDouble), positions(reach)).flatten();
  return {out.data_ptr<double>(), out.data_ptr<double>() + reach};
}

bool equal_within(const std::vector<double>& got, const std::vector<double>& want, double tolerance) {
  if (got.size() != want.size()) return false;
  for (size_t i = 0; i < got.size(); ++i)
    if (std::abs(got[i] - want[i]) > tolerance) return false;
  return true;
}

}  // namespace

TEST_CASE("a stretched table equals the peer's interpolation, both ways of placing corners", "[encodings][golden]") {
  const Json& golden = goldens()["learned_table_interpolation"];
  int checked = 0;
  for (const auto& [key, value] : golden.items()) {
    if (key == "table") continue;
    INFO(key);
    const std::string reach = key.substr(3, key.find(',') - 3);
    const bool corners = key.find("align_corners=true") != std::string::npos;
    CHECK(equal_within(squares("extension: interpolate_" + std::string(corners ? "corners" : "centres") +
                               "\nextended_positions: " + reach + "\n"),
                       numbers_of(value), 1e-11));
    ++checked;
  }
  CHECK(checked == 3);
}

TEST_CASE("a table is tiled, or its positions are divided", "[encodings]") {
  CHECK(squares("extension: tile\nextended_positions: 10\n") == std::vector<double>{0, 1, 4, 9, 0, 1, 4, 9, 0, 1});
  CHECK(squares("extension: divide\nfactor: 2\n") == std::vector<double>{0, 0.5, 1, 2.5, 4, 6.5, 9});
  CHECK(squares("extension: divide\nfactor: 2\nextended_positions: 5\n") == std::vector<double>{0, 0.5, 1, 2.5, 4});
  CHECK(equal_within(squares("extension: divide\nfactor: 1.5\n"), {0, 2.0 / 3, 2, 4, 4 + 5 * 2.0 / 3}, 1e-14));
}

TEST_CASE("no extension and one that changes nothing give the table itself", "[encodings]") {
  const std::vector<double> table = {0, 1, 4, 9};
  CHECK(squares("") == table);
  CHECK(squares("extension: none\n") == table);
  for (const char* kind : {"interpolate_corners", "interpolate_centres", "tile"})
    CHECK(squares("extension: " + std::string(kind) + "\nextended_positions: 4\n") == table);
  CHECK(squares("extension: divide\nfactor: 1\n") == table);
}

TEST_CASE("an extended table is as large as a plain one, and ends where it is declared to", "[encodings]") {
  for (const std::string kind : {"interpolate_corners", "interpolate_centres", "tile"}) {
    const auto encoding = build("scheme: learned\nextension: " + kind + "\nextended_positions: 40\n");
    CHECK(encoding->parameters().front().sizes().vec() == std::vector<int64_t>{16, 32});
    CHECK(encoding->max_positions() == 40);
    // A short call sees the same table as a long one.
    const auto drawn = build_drawn("scheme: learned\nextension: " + kind + "\nextended_positions: 40\n");
    const auto x = draw({1, 40, 32}, "x");
    CHECK(at::equal(drawn->embed(x.narrow(1, 0, 7), positions(7)), drawn->embed(x, positions(40)).narrow(1, 0, 7)));
  }
}

TEST_CASE("extensions that cannot be are refused", "[encodings]") {
  const auto error = [](const std::string& options) { return config_error("scheme: learned\n" + options); };
  CHECK_THAT(error("extension: tile\n"), ContainsSubstring("extended_positions: found nothing"));
  CHECK_THAT(error("extension: tile\nextended_positions: 15\n"),
             ContainsSubstring("extended_positions: found 15; allowed: the table's 16 positions or more"));
  CHECK_THAT(error("extension: divide\n"), ContainsSubstring("factor: found nothing; allowed: a number, 1 or more"));
  CHECK_THAT(error("extension: divide\nfactor: 2\nextended_positions: 32\n"),
             ContainsSubstring("extended_positions: found 32; allowed: up to 31"));
  CHECK_THAT(error("extension: tile\nextended_positions: 32\nfactor: 2\n"),
             ContainsSubstring("factor: found an unknown key"));
  CHECK_THAT(error("extended_positions: 32\n"), ContainsSubstring("extended_positions: found an unknown key"));
  CHECK_THAT(error("extension: interpolate\n"),
             ContainsSubstring("allowed: none, interpolate_corners, interpolate_centres, tile, divide"));
}

}  // namespace lw::encoding_test
