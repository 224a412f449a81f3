// Randomised positions: distinct, in order, uniform, and a pure function of the seed and the row.
#include "encodings/position_sampler.h"

#include <tuple>

#include "tests/encodings/support.h"

namespace lw::encoding_test {
namespace {

using Catch::Matchers::ContainsSubstring;

at::Tensor rows_of_tokens(int64_t rows, int64_t length, uint64_t seed = 1) {
  Rng rng(seed);
  auto out = at::empty({rows, length}, at::kLong);
  for (int64_t i = 0; i < out.numel(); ++i) out.data_ptr<int64_t>()[i] = rng.below(50);
  return out;
}

std::string sampler_error(const std::string& options) {
  try {
    ConfigNode node = ConfigNode::parse("randomized: {" + options + "}\n", "position.yaml");
    PositionSampler::read(node);
    node.finish();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("drawn positions are distinct, increasing and in range", "[encodings][sampler]") {
  for (const auto& [length, max_position] :
       std::vector<std::pair<int64_t, int64_t>>{{5, 5}, {7, 8}, {20, 64}, {1, 9}}) {
    const auto pos = PositionSampler(max_position, 0, true).draw(rows_of_tokens(50, 6), length);
    REQUIRE(pos.sizes().vec() == std::vector<int64_t>{50, length});
    CHECK(pos.scalar_type() == at::kLong);
    CHECK((pos >= 0).all().item<bool>());
    CHECK((pos < max_position).all().item<bool>());
    CHECK((pos.slice(1, 1) > pos.slice(1, 0, -1)).all().item<bool>());
  }
}

TEST_CASE("every position is drawn equally often", "[encodings][sampler]") {
  constexpr int64_t kRows = 6000, kMax = 30, kLength = 10;
  const auto pos = PositionSampler(kMax, 3, true).draw(rows_of_tokens(kRows, 8), kLength);
  const auto count = pos.flatten().bincount({}, kMax).to(at::kDouble);
  const double expected = double(kRows * kLength) / double(kMax), share = double(kLength) / double(kMax);
  // Each count is binomial; drawing without replacement makes the 30 of them sum to a constant.
  const double chi_square =
      ((count - expected).square() / (expected * (1 - share))).sum().item<double>() * double(kMax - 1) / double(kMax);
  CHECK(chi_square < 58.3);  // 29 degrees of freedom, 1 in 1000
  CHECK(chi_square > 9.0);   // nor suspiciously even
  // Order statistics: the mean of the k-th of 10 out of 0..29 is k (30 + 1) / 11 - 1.
  const auto mean = pos.to(at::kDouble).mean(0);
  for (int64_t k = 1; k <= kLength; ++k)
    CHECK(mean[k - 1].item<double>() == Catch::Approx(double(k) * 31.0 / 11.0 - 1).margin(0.25));
}

TEST_CASE("a draw depends on the seed and the row alone", "[encodings][sampler]") {
  const auto rows = rows_of_tokens(4, 12);
  const PositionSampler sampler(100, 5, true);
  const auto together = sampler.draw(rows, 12);
  std::ignore = sampler.draw(rows_of_tokens(9, 40, 2), 40);  // leaves nothing behind
  for (int64_t row = 0; row < 4; ++row)
    CHECK(at::equal(sampler.draw(rows.narrow(0, row, 1), 12), together.narrow(0, row, 1)));
  CHECK(at::equal(PositionSampler(100, 5, false).draw(rows, 12), together));
  CHECK_FALSE(at::equal(PositionSampler(100, 6, true).draw(rows, 12), together));
  for (int64_t row = 1; row < 4; ++row) CHECK_FALSE(at::equal(together[row], together[0]));
  auto swapped = rows.clone();  // the order of tokens tells rows apart too
  swapped.select(1, 0).copy_(rows.select(1, 1) + 1);
  CHECK_FALSE(at::equal(sampler.draw(swapped, 12), together));
}

TEST_CASE("more positions than there are cannot be drawn", "[encodings][sampler]") {
  try {
    std::ignore = PositionSampler(8, 0, true).draw(rows_of_tokens(1, 9), 9);
    FAIL("9 positions were drawn from 8");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUnsupported);
    CHECK(std::string(error.what()) == "cannot draw 9 different positions from 8 (position.randomized.max_position)");
  }
}

TEST_CASE("randomised positions are read from the position section", "[encodings][sampler]") {
  ConfigNode node = ConfigNode::parse("randomized: {max_position: 64, seed: 4, evaluation: plain}\n");
  const auto sampler = PositionSampler::read(node);
  REQUIRE(sampler != nullptr);
  CHECK(sampler->max_position() == 64);
  CHECK_FALSE(sampler->drawn_in_evaluation());
  CHECK(sampler->numbering() ==
        "drawn from 0...63, distinct and sorted, anew for each sequence (seed 4); in evaluation 0, 1, 2, ...");
  ConfigNode absent = ConfigNode::parse("scheme: rope\n");
  CHECK(PositionSampler::read(absent) == nullptr);
  CHECK_THAT(sampler_error("seed: 1"), ContainsSubstring("randomized.max_position: found nothing"));
  CHECK_THAT(sampler_error("max_position: 0"), ContainsSubstring("randomized.max_position: found '0'"));
  CHECK_THAT(sampler_error("max_position: 9, evaluation: drawm"), ContainsSubstring("did you mean 'drawn'?"));
  CHECK(sampler_error("max_position: 9").empty());
}

}  // namespace lw::encoding_test
