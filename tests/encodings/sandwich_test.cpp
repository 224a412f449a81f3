// Sandwich under both numberings of its frequencies.
#include "tests/encodings/bias_support.h"

namespace lw::encoding_test {
namespace {

/// [H, 16] at distances 0 .. 15.
at::Tensor near_biases(PositionEncoding& encoding, int64_t heads) {
  return bias_of(encoding, heads, positions(1, 15), positions(16))[0].squeeze(1).flip(-1);
}

}  // namespace

TEST_CASE("Sandwich with frequencies from 1 equals NeMo's, head by head", "[encodings][golden]") {
  const Json& want =
      goldens()["sandwich"]["NeMo class, bar_d=128, 4 heads, i=1..64; bias at distance 0..15, head 1..4"];
  const auto encoding = build("scheme: sandwich\n", shape_with(4));
  const auto bias = near_biases(*encoding, 4);
  REQUIRE(want.size() == 4);
  for (int64_t h = 0; h < 4; ++h) CHECK(golden_gap(bias[h], numbers_of(want[size_t(h)])) < kTwelveDigits);
}

TEST_CASE("Sandwich with frequencies from 0 equals the paper's appendix", "[encodings][golden]") {
  const Json& want = goldens()["sandwich"]
                              ["paper appendix indexing i=0..63 with 10000^(2i/d): sum cos - 64, head 1 "
                               "(divide by 8*1/4), distance 0..15 (our arithmetic)"];
  const auto encoding = build("scheme: sandwich\nindex: paper_appendix\n", shape_with(4));
  const auto bias = near_biases(*encoding, 4);
  CHECK(golden_gap(bias[0], numbers_of(want)) < kTwelveDigits);
  CHECK(largest_gap(bias[0], bias[3] * 4) < 1e-13);
}

TEST_CASE("Sandwich is the inner product of two sinusoidal vectors, up to a constant", "[encodings]") {
  const int64_t width = 32, length = 50;
  const auto sinusoid = build("scheme: sinusoidal\n", shape_with(4));  // width 32
  const auto vector_TD = sinusoid->embed(at::zeros({1, length, width}, at::kDouble), positions(length))[0];
  const auto encoding = build("scheme: sandwich\nindex: paper_appendix\nbar_d: 32\n", shape_with(4));
  const auto bias = bias_of(*encoding, 4, positions(length), positions(length))[0];
  for (int64_t h = 0; h < 4; ++h)
    CHECK(largest_gap(bias[h] * (8.0 * double(h + 1) / 4), at::matmul(vector_TD, vector_TD.t()) - 16) < 1e-12);
  CHECK(at::equal(bias, bias.transpose(-1, -2)));  // so on encoders, too
}

TEST_CASE("Sandwich may take the width of a head, as NeMo does", "[encodings]") {
  const auto named = build("scheme: sandwich\nbar_d: 8\n"),
             derived = build("scheme: sandwich\nbar_d_is_head_width: true\n");
  CHECK(fact_number(*derived, "bar_d") == 8);
  CHECK(fact_number(*build("scheme: sandwich\n"), "bar_d") == 128);
  CHECK(at::equal(near_biases(*named, 4), near_biases(*derived, 4)));
}

TEST_CASE("a cast of the module leaves Sandwich exact at far distances", "[encodings]") {
  const auto encoding = build("scheme: sandwich\n"), cast = build("scheme: sandwich\n");
  cast->to(at::kBFloat16);
  CHECK(at::equal(bias_of(*cast, 4, positions(1, 131071), positions(5)),
                  bias_of(*encoding, 4, positions(1, 131071), positions(5))));
}

TEST_CASE("Sandwich widths that cannot be are refused", "[encodings]") {
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(config_error("scheme: sandwich\nbar_d: 7\n"),
             ContainsSubstring("position.yaml:2:8: bar_d: found a width of 7; allowed: an even number"));
  CHECK_THAT(config_error("scheme: sandwich\nbar_d: 64\nbar_d_is_head_width: true\n"),
             ContainsSubstring("bar_d: found 64 with bar_d_is_head_width and heads of 8 channels; allowed: one of"));
  CHECK_THAT(config_error("scheme: sandwich\nbar_d_is_head_width: true\n", shape_with(4, true, 5)),
             ContainsSubstring("bar_d_is_head_width: found a width of 5"));
  CHECK_THAT(config_error("scheme: sandwich\nindex: paper\n"), ContainsSubstring("did you mean 'paper_appendix'?"));
}

}  // namespace lw::encoding_test
