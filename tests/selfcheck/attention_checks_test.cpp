// The checks of attention see encodings that break what they compare.
#include "harness/measure/position_measure.h"
#include "harness/selfcheck/attention.h"
#include "harness/selfcheck/properties.h"
#include "tests/model/support.h"

namespace lw::model_test {
namespace {

const ModelShape kShape = small_config().shape(32);

/// Says of itself what fits a scheme that changes nothing.
class Quiet : public PositionEncoding {
 public:
  bool shift_invariant() const override { return true; }
  bool touches_logits(int64_t) const override { return false; }
};

MakeEncoding good(const std::string& position) {
  return [position] { return encoding_of(position, small_config(), 32); };
}

/// A bias that grows with the key's position times what `by` gives.
at::Tensor key_bias(const at::Tensor& logits, const Site& at, double by) {
  return logits + by * at.key_pos_BK.to(logits.scalar_type()).unsqueeze(-2).unsqueeze(1);
}

class CountsQueries final : public Quiet {
 public:
  at::Tensor adjust_logits(const at::Tensor& logits, const at::Tensor&, const at::Tensor&, const Site& at) override {
    return key_bias(logits, at, 1e-3 * double(logits.size(2)));
  }
};

class HidesItsBias final : public Quiet {
 public:
  at::Tensor adjust_logits(const at::Tensor& logits, const at::Tensor&, const at::Tensor&, const Site& at) override {
    return key_bias(logits, at, 1e-3);
  }
};

class CountsKeys final : public Quiet {
 public:
  at::Tensor rotate_key(const at::Tensor& k, const Site&) override { return k * (1 + 1e-3 * double(k.size(2))); }
};

class MovesWithPosition final : public Quiet {
 public:
  at::Tensor rotate_query(const at::Tensor& q, const Site& at) override {
    return q * (1 + 1e-6 * at.query_pos_BQ.to(q.scalar_type()).unsqueeze(-1).unsqueeze(1));
  }
};

class NotANumber final : public Quiet {
 public:
  at::Tensor rotate_query(const at::Tensor& q, const Site&) override { return q * (q / 0.0); }
};

double key_cache_under(std::shared_ptr<PositionEncoding> encoding) {
  Transformer model(small_config(), std::move(encoding));
  model.reset_parameters(Rng(3));
  return key_cache_apart(model, 12);
}

}  // namespace

TEST_CASE("attention_tiles sees an encoding that counts queries", "[selfcheck]") {
  CHECK(tiles_apart(kShape, good("scheme: t5")) <= kTilesBound);
  CHECK(tiles_apart(kShape, maker_of<CountsQueries>()) > kTilesBound);
  CHECK(tiles_apart(kShape, maker_of<NotANumber>()) > kTilesBound);
}

TEST_CASE("attention_fused sees a bias that is not declared", "[selfcheck]") {
  const auto rope = fused_apart(kShape, good("scheme: rope"), "cpu");
  REQUIRE(rope);
  CHECK(*rope <= kFusedBound);
  CHECK_FALSE(fused_apart(kShape, good("scheme: alibi"), "cpu"));
  CHECK(fused_apart(kShape, maker_of<HidesItsBias>(), "cpu").value() > kFusedBound);
}

TEST_CASE("attention_memory sees what grows with the square of the length", "[selfcheck]") {
  const auto held = [](std::vector<int64_t> sizes) { (void)at::ones(sizes); };
  CHECK(memory_growth([&](int64_t n) { held({n, 64}); }) <= kMemoryBound);
  CHECK(memory_growth([&](int64_t n) { held({n, n}); }) > kMemoryBound);
}

TEST_CASE("key_cache sees keys that depend on how many there are", "[selfcheck]") {
  CHECK(key_cache_under(encoding_of("scheme: rope", small_config())) <= kKeyCacheBound);
  CHECK(key_cache_under(std::make_shared<CountsKeys>()) > kKeyCacheBound);
}

TEST_CASE("shift_invariance sees logits that move with their place", "[selfcheck]") {
  CHECK(moved_by_shift(kShape, good("scheme: rope")).value() <= kShiftBound);
  CHECK(moved_by_shift(kShape, maker_of<MovesWithPosition>()).value() > kShiftBound);
  CHECK_FALSE(moved_by_shift(kShape, good("{scheme: learned, positions: 2}")));
}

TEST_CASE("declared_properties counts and names what disagrees", "[selfcheck]") {
  FaultCount honest("declaration"), liar("declaration");
  add_properties("rope", kShape, good("scheme: rope"), honest);
  CHECK(honest.finding().holds());
  CHECK(honest.finding().compared == 4);
  add_properties("liar", kShape, maker_of<MovesWithPosition>(), liar);
  CHECK(liar.finding().fails());
  CHECK(liar.finding().where == "liar: shift_invariant is declared true");
}

}  // namespace lw::model_test
