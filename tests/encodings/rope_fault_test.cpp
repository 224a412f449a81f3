// Frequencies are finite and above 0 at every length, or the setting says why not.
#include <cmath>

#include "tests/encodings/bias_support.h"

namespace lw::encoding_test {
namespace {

std::string refused(const std::string& yaml, int64_t head_width = 8) {
  try {
    build(yaml, shape_with(1, true, head_width));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a scaling whose frequencies are 0 or not finite is refused where it stands", "[encodings]") {
  CHECK(
      refused("scheme: rope\nrope_theta: 1e308\nscaling: {rope_type: ntk, alpha: 4}\n") ==
      "position.yaml:3:22: scaling.rope_type: found ntk, under which pair 1 of 4 has the frequency 0; allowed: finite "
      "numbers above 0");
  CHECK(refused("scheme: rope\nscaling: {rope_type: factors, factors: [1, 1, 1e-320, 1]}\n")
            .find("pair 2 of 4 has the frequency inf") != std::string::npos);
  CHECK(refused("scheme: rope\nscaling: {rope_type: longrope, factor: 2, original_max_position_embeddings: 16, "
                "short_factor: [1, 1, 1, 1], long_factor: [1, 1, 1, 1e-320]}\n")
            .find("pair 3 of 4 has the frequency inf beyond 16 tokens") != std::string::npos);
  CHECK(refused("scheme: rope\nrope_theta: 1e308\n").empty());
}

TEST_CASE("a scaling whose frequencies end at a length has no position beyond it", "[encodings]") {
  const auto rope = build(
      "scheme: rope\nscaling: {rope_type: dynamic_longrope, factor: 4, "
      "original_max_position_embeddings: 32, long_factor: [0.5, 0.9, 2, 8]}\n",
      shape_with(1, true, 8));
  // 1 + (0.5 - 1) (T / 32 - 1) / 3 is 0 at T = 7 * 32.
  REQUIRE(rope->max_positions());
  CHECK(*rope->max_positions() == 223);
  CHECK_NOTHROW(rope->facts(223));
  CHECK(
      rope->undefined_position(255) ==
      "position.scaling: dynamic_longrope at 256 tokens: found that pair 0 of 4 has the frequency -6; allowed: finite "
      "numbers above 0, which it gives up to 223 tokens");
  CHECK_THROWS_WITH(rope->facts(256), rope->undefined_position(255));
  CHECK_THROWS_WITH(rope->check_positions(at::arange(256, at::kLong).unsqueeze(0)), rope->undefined_position(255));
}

TEST_CASE("pairs that stand still on purpose are no fault", "[encodings]") {
  const auto rope = build(
      "scheme: rope\npartial_rotary_factor: 0.5\nscaling: {rope_type: composed, first: {rope_type: "
      "proportional}, then: {rope_type: linear, factor: 2}}\n",
      shape_with(1, true, 8));
  const auto frequencies = fact_numbers(*rope, "inv_freq");
  REQUIRE(frequencies.size() == 4);
  CHECK(frequencies[1] > 0);
  CHECK(frequencies[2] == 0);
}

}  // namespace lw::encoding_test
