#include "harness/measure/position_claims.h"

#include "harness/measure/attention_cost.h"
#include "harness/measure/memory_meter.h"
#include "harness/measure/position_card.h"
#include "tests/model/support.h"

namespace lw::model_test {
namespace {

PositionClaim claim_of(const std::string& position, const std::string& name, ModelConfig c = small_config()) {
  const auto make = [&] { return encoding_of(position, c); };
  const auto card = position_card("x", c.shape(16), {0, 0, false}, make);
  for (const auto& claim : position_claims(c.shape(16), card.applies_to, make))
    if (claim.name == name) return claim;
  FAIL("no claim is called " << name);
  return {};
}

/// Bytes that are alive now. One more tensor, larger than the peak, makes a new peak of itself and what is alive.
int64_t live_bytes(const MemoryMeter& meter) {
  const int64_t more = meter.peak_bytes() + 64;
  at::empty({more}, at::kByte);
  return meter.peak_bytes() - more;
}

}  // namespace

TEST_CASE("sinusoids: neighbours differ, codes are unique to 65536, a shift is one matrix", "[claims]") {
  for (const std::string table : {"interleaved", "half_split", "tensor2tensor"}) {
    INFO(table);
    const std::string position = "{scheme: sinusoidal, table: " + table + "}";
    const auto near = claim_of(position, "neighbours_distinct"), unique = claim_of(position, "codes_unique");
    CHECK(near.holds == true);
    CHECK(unique.holds == true);
    // Every pair of channels moves by 2 sin(w / 2) of its size: the smallest gap cannot be larger.
    CHECK(*unique.value <= *near.value + 1e-12);
    CHECK_THAT(unique.detail, Catch::Matchers::ContainsSubstring("0 to 65,535") &&
                                  Catch::Matchers::ContainsSubstring("distance alone"));
    const auto linear = claim_of(position, "shift_is_linear");
    CHECK(linear.holds == true);
    CHECK(*linear.value < 1e-7);
  }
}

TEST_CASE("the smallest step of sinusoids is the one that their frequencies give", "[claims]") {
  double squares = 0;
  const ModelConfig c = small_config();
  for (int64_t i = 0; i < c.width / 2; ++i)
    squares += 4 * std::pow(std::sin(0.5 * std::pow(10000.0, -2.0 * double(i) / double(c.width))), 2);
  CHECK(*claim_of("scheme: sinusoidal", "neighbours_distinct").value ==
        Catch::Approx(std::sqrt(squares / (double(c.width) / 2))).epsilon(1e-9));
}

TEST_CASE("a learned table is unique, and no matrix shifts it", "[claims]") {
  const std::string position = "{scheme: learned, positions: 512}";
  CHECK(claim_of(position, "neighbours_distinct").holds == true);
  CHECK(claim_of(position, "codes_unique").holds == true);
  const auto linear = claim_of(position, "shift_is_linear");
  CHECK(linear.holds == false);
  CHECK(*linear.value > 0.1);
  const auto untold = claim_of("{scheme: learned, positions: 16}", "shift_is_linear");
  CHECK_FALSE(untold.holds.has_value());
  CHECK_THAT(untold.detail, Catch::Matchers::StartsWith("cannot be told"));
}

TEST_CASE("codes that repeat are found, near and far", "[claims]") {
  class Tiled final : public PositionEncoding {
   public:
    at::Tensor embed(const at::Tensor& x_BQD, const at::Tensor& pos_BQ) override {
      const auto row = pos_BQ.remainder(300).to(at::kDouble).unsqueeze(-1);
      return x_BQD + (row * at::arange(1, x_BQD.size(-1) + 1, at::kDouble)).sin();
    }
    bool shift_invariant() const override { return false; }
  };
  const auto claims = position_claims(small_config().shape(16), {"input"}, [] { return std::make_shared<Tiled>(); });
  CHECK(claims[0].holds == true);
  CHECK(claims[1].name == "codes_unique");
  CHECK(claims[1].holds == false);
  CHECK(*claims[1].value < 1e-9);
}

TEST_CASE("RoPE's product depends on the distance alone, however far", "[claims]") {
  for (const std::string scaling : {"default", "linear, factor: 4", "yarn, factor: 4"}) {
    const auto claim = claim_of("{scheme: rope, scaling: {rope_type: " + scaling + "}}", "product_by_distance");
    CHECK(claim.holds == true);
    CHECK(*claim.value < 1e-9);
  }
  CHECK_FALSE(claim_of("scheme: alibi", "product_by_distance").holds.has_value());
}

TEST_CASE("T5's buckets widen with distance; ALiBi has none", "[claims]") {
  const auto t5 = claim_of("scheme: t5", "buckets_widen");
  CHECK(t5.holds == true);
  CHECK(*t5.value == 14);  // 99 to 112
  CHECK_THAT(t5.detail, Catch::Matchers::ContainsSubstring("32 buckets") &&
                            Catch::Matchers::ContainsSubstring("the last from 113 on"));
  CHECK_FALSE(claim_of("scheme: alibi", "buckets_widen").holds.has_value());
  CHECK_FALSE(claim_of("scheme: rope", "buckets_widen").holds.has_value());
}

TEST_CASE("Shaw folded into cached keys breaks, T5 and ALiBi do not", "[claims]") {
  const auto shaw = claim_of("{scheme: shaw, values: false}", "folding_keeps_logits");
  CHECK(shaw.holds == false);
  CHECK(*shaw.value > 1e-3);
  for (const std::string position : {"scheme: t5", "scheme: alibi"}) {
    INFO(position);
    CHECK(claim_of(position, "folding_keeps_logits").holds == true);
  }
  CHECK_FALSE(claim_of("scheme: none", "folding_keeps_logits").holds.has_value());
}

TEST_CASE("no scheme needs a bias of length x length", "[claims]") {
  for (const auto& position : all_positions()) {
    INFO(position);
    const auto claim = claim_of(position, "tiles_equal_whole");
    INFO(claim.detail);
    CHECK(claim.holds == true);
  }
}

TEST_CASE("the meter counts what was alive at once, and nothing that was there before", "[memory]") {
  auto before = at::zeros({1000});
  const MemoryMeter meter;
  CHECK(meter.peak_bytes() == 0);
  auto a = at::zeros({1000});
  CHECK(meter.peak_bytes() == 4000);
  CHECK(live_bytes(meter) == 4000);
  before.reset();
  CHECK(live_bytes(meter) == 4000);
  a.reset();
  CHECK(live_bytes(meter) == 0);
  auto b = at::zeros({500}, at::kDouble), c = at::zeros({100});
  CHECK(live_bytes(meter) == 4400);
}

TEST_CASE("tensors may outlive the meter that counted them", "[memory]") {
  at::Tensor kept;
  {
    const MemoryMeter meter;
    kept = at::ones({10});
  }
  CHECK(kept.sum().item<double>() == 10);
  const MemoryMeter next;
  kept.reset();
  CHECK(live_bytes(next) == 0);
}

// oneDNN asks the allocator for plain pointers and gives them back without a tensor.
TEST_CASE("half-precision products work while a meter counts, and after it", "[memory]") {
  const auto a = at::ones({64, 64}, at::kBFloat16);
  {
    const MemoryMeter meter;
    CHECK(at::matmul(a, a)[0][0].item<double>() == 64);
    CHECK(meter.peak_bytes() >= 64 * 64 * 2);
    CHECK(live_bytes(meter) == 0);
  }
  CHECK(at::matmul(a, a)[3][5].item<double>() == 64);
}

TEST_CASE("a tile bounds what attention holds at once", "[memory]") {
  const ModelShape shape = small_config().shape(16);
  for (const auto& position : all_positions()) {
    INFO(position);
    const auto encoding = encoding_of(position, small_config());
    const auto bytes = [&](int64_t length, int64_t tile) {
      const AttentionLoad load(shape, length, tile);
      return double(peak_bytes_of([&] { load.forward(*encoding); }));
    };
    if (encoding->max_positions().value_or(1024) < 1024) continue;
    CHECK(bytes(1024, 32) < 0.3 * bytes(1024, 0));
    CHECK(bytes(1024, 0) / bytes(512, 0) > 3);      // quadratic
    CHECK(bytes(1024, 32) / bytes(512, 32) < 2.3);  // linear
  }
}

TEST_CASE("the key cache holds keys, values and positions of every layer", "[memory]") {
  const ModelConfig c = small_config();
  const ModelShape shape = c.shape(16);
  CHECK(key_cache_bytes_per_token(shape, *encoding_of("scheme: rope", c)) == 2 * (2 * 32 * 4 + 8));
  CHECK(key_cache_bytes_per_token(shape, *encoding_of("{scheme: rope, scaling: {rope_type: dynamic, factor: 2}}", c)) ==
        0);
}

TEST_CASE("a training step leaves no gradient behind", "[memory]") {
  const ModelConfig c = small_config();
  const auto encoding = encoding_of("scheme: t5", c);
  const AttentionLoad load(c.shape(16), 32, 8);
  load.train(*encoding);
  load.train(*encoding);
  for (const auto& p : encoding->parameters()) CHECK_FALSE(p.grad().defined());
  const MemoryMeter meter;
  load.forward(*encoding);
  CHECK(live_bytes(meter) == 0);
}

}  // namespace lw::model_test
