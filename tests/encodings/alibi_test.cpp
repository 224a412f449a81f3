// ALiBi's slopes and biases against the authors', BLOOM's and MPT's.
#include "tests/encodings/support.h"

namespace lw::encoding_test {
namespace {

ModelShape with_heads(int64_t heads, bool causal = true) {
  ModelShape shape = small_shape();
  shape.heads = heads;
  shape.causal = causal;
  return shape;
}

at::Tensor bias_HQK(PositionEncoding& encoding, int64_t heads, int64_t queries, int64_t keys, int64_t first_query = 0,
                    at::ScalarType type = at::kDouble) {
  const Site at{positions(queries, first_query), positions(keys), 0, nullptr};
  return encoding.adjust_logits(at::zeros({1, heads, queries, keys}, type), {}, {}, at)[0];
}

}  // namespace

// Faults 55 and 56: head counts that are no power of two; an exponent that is off by one.
TEST_CASE("ALiBi slopes equal the authors' for every head count", "[encodings][golden]") {
  int checked = 0;
  for (const auto& [heads, slopes] : goldens()["alibi_slopes"].items()) {
    INFO(heads);
    const int64_t count = std::stoll(heads);
    const auto encoding = build("scheme: alibi\n", with_heads(count));
    CHECK(worst_relative(fact_numbers(*encoding, "slopes"), slopes.get<std::vector<double>>()) < kGoldenDigits);
    const auto at_one = bias_HQK(*encoding, count, 1, 1, 1).flatten();
    CHECK(largest_gap(-at_one, at::tensor(slopes.get<std::vector<double>>(), at::kDouble)) < kGoldenDigits);
    ++checked;
  }
  CHECK(checked >= 33);
}

TEST_CASE("ALiBi's bias rows equal MPT's, and BLOOM's up to a constant of the row", "[encodings][golden]") {
  const Json& note = goldens()["alibi_note"];
  const auto encoding = build("scheme: alibi\n", with_heads(4));
  const auto last_row = bias_HQK(*encoding, 4, 1, 4, 3).squeeze(1);
  const auto mpt = note["mpt bias (heads=4, len=4)"].get<std::vector<std::vector<double>>>();
  const auto bloom = note["bloom bias row (heads=4, mask 0,0,1,1,1)"].get<std::vector<std::vector<double>>>();
  for (size_t h = 0; h < 4; ++h) {
    CHECK(largest_gap(last_row[int64_t(h)], at::tensor(mpt[h], at::kDouble)) == 0);
    // BLOOM adds slope times key position (0, 1, 2 for the three real tokens): the same differences.
    const auto real = at::tensor(std::vector<double>(bloom[h].begin() + 2, bloom[h].end()), at::kDouble);
    CHECK(largest_gap(bias_HQK(*encoding, 4, 1, 3, 2).squeeze(1)[int64_t(h)], real - real[2]) == 0);
  }
}

// BLOOM adds slope times the key's position among real tokens (0 on padding); MPT a table that ends at the last
// key. Both differ from slope times distance by a constant of each row, which no softmax sees.
TEST_CASE("the forms of BLOOM and MPT give ALiBi's softmax, for every head count", "[encodings]") {
  const int64_t length = 20;
  for (int64_t heads = 1; heads <= 33; ++heads) {
    INFO(heads);
    const auto encoding = build("scheme: alibi\n", with_heads(heads));
    const auto slope_H11 = at::tensor(fact_numbers(*encoding, "slopes"), at::kDouble).view({-1, 1, 1});
    const auto key_K = at::arange(length, at::kDouble);
    const auto logits = draw({heads, length, length}, "logits");
    const auto weights = [&](const at::Tensor& added) {
      const auto ahead = at::ones({length, length}, at::kBool).triu(1);
      return (logits + added).masked_fill(ahead, -INFINITY).softmax(-1);
    };
    const auto want = weights(bias_HQK(*encoding, heads, length, length));
    CHECK(largest_gap(weights(slope_H11 * key_K), want) < 1e-13);
    CHECK(largest_gap(weights(slope_H11 * (key_K - double(length - 1))), want) < 1e-13);
  }
}

// gpt-neox: the matrix of an earlier call was kept until a call was four times as long, and one head was left.
TEST_CASE("a longer ALiBi call after a short one has all its pairs and all its heads", "[encodings][fault]") {
  const auto encoding = build("scheme: alibi\n", with_heads(8));
  bias_HQK(*encoding, 8, 10, 10);
  const auto bias = bias_HQK(*encoding, 8, 100, 100);
  CHECK(bias.sizes().vec() == std::vector<int64_t>{8, 100, 100});
  for (int64_t h = 0; h < 8; ++h) CHECK(bias[h][99][0].item<double>() == -99 * std::exp2(-double(h + 1)));
}

TEST_CASE("bias_max is the exponent of the smallest slope", "[encodings]") {
  const auto encoding = build("scheme: alibi\nbias_max: 4\n", with_heads(4));
  CHECK(fact_numbers(*encoding, "slopes") == std::vector<double>{0.5, 0.25, 0.125, 0.0625});
  CHECK_THAT(config_error("scheme: alibi\nbias_max: 0\n"), Catch::Matchers::ContainsSubstring("bias_max: found '0'"));
}

TEST_CASE("without a causal mask the penalty is symmetric", "[encodings]") {
  const auto encoding = build("scheme: alibi\n", with_heads(4, false));
  const auto bias = bias_HQK(*encoding, 4, 6, 6);
  CHECK(at::equal(bias, bias.transpose(-1, -2)));
  CHECK(bias.max().item<double>() == 0);
  CHECK(bias[0][1][4].item<double>() == -0.75);
}

// Fault 43: slopes that are cast with the module.
TEST_CASE("a cast of the module to half precision leaves the slopes exact", "[encodings]") {
  for (const auto cast : {at::kHalf, at::kBFloat16}) {
    const auto encoding = build("scheme: alibi\n", with_heads(12));
    encoding->to(cast);
    CHECK(fact_numbers(*encoding, "slopes")[8] == std::exp2(-0.5));
    const auto bias = bias_HQK(*encoding, 12, 1, 1, 1, at::kFloat);
    CHECK(bias[8].item<double>() == Catch::Approx(-0.7071067812).epsilon(1e-7));
    CHECK(bias_HQK(*encoding, 12, 1, 1, 1)[8].item<double>() == -std::exp2(-0.5));
  }
}

// Fault 44: biases rounded to half precision. The contract here: at least float32, whatever the logits are.
TEST_CASE("half-precision logits keep distances 256 and 257 apart", "[encodings]") {
  const auto encoding = build("scheme: alibi\n", with_heads(8));
  const auto row = bias_HQK(*encoding, 8, 1, 2, 257, at::kBFloat16);
  CHECK(row.scalar_type() == at::kFloat);
  CHECK(row[0][0][0].item<double>() == -128.5);
  CHECK(row[0][0][1].item<double>() == -128.0);
}

// Fault 52: a table built for the training length.
TEST_CASE("ALiBi has no longest position", "[encodings]") {
  const auto encoding = build("scheme: alibi\n", with_heads(4));  // train_length 16
  CHECK_FALSE(encoding->max_positions().has_value());
  CHECK(bias_HQK(*encoding, 4, 1, 17, 16)[0][0][0].item<double>() == -4);
  CHECK(bias_HQK(*encoding, 4, 1, 1, 1'000'003, at::kFloat)[3][0][0].item<double>() ==
        Catch::Approx(-1000003.0 / 256).epsilon(1e-7));
}

}  // namespace lw::encoding_test
