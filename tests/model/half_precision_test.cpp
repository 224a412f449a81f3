// Half precision rounds weights, queries, keys, values and outputs. Positions, logits, sums and norms it does not
// touch, however far a sequence goes.
#include <ATen/ops/linear.h>

#include "harness/model/linear.h"
#include "harness/model/model.h"
#include "harness/model/slot_logits.h"
#include "tests/model/support.h"

namespace lw::model_test {
namespace {

struct Half {
  at::ScalarType type;
  double rounding;  // relative, of one number
};
const std::vector<Half> kHalves = {{at::kBFloat16, 1.0 / 256}, {at::kHalf, 1.0 / 2048}};

at::Tensor draws_of(std::vector<int64_t> sizes, uint64_t seed, double std = 1) {
  Rng rng(seed);
  auto out = at::empty(sizes, at::kFloat);
  fill_normal(out, rng, std);
  return out;
}

}  // namespace

TEST_CASE("attention in half precision is off by rounding alone, near and at position 131071", "[model][half]") {
  at::NoGradGuard no_grad;
  for (const auto& position : all_positions()) {
    INFO(position);
    const auto config = small_config();
    const auto encoding = encoding_of(position, config), wide = encoding_of(position, config);
    for (const int64_t start : {int64_t{0}, int64_t{131072 - 16}}) {
      if (encoding->max_positions().value_or(1 << 20) < start + 16) continue;
      for (const auto& [type, rounding] : kHalves) {
        INFO(start << " " << at::toString(type));
        for (const auto& one : {encoding, wide}) {
          one->to(at::kFloat);
          Rng rng(1);
          one->reset_parameters(rng);
          one->to(type);
        }
        wide->to(at::kDouble);
        AttentionInput in;
        in.q_BHQE = draws_of({1, 4, 16, 8}, 1).to(type);
        in.k_BHKE = draws_of({1, 4, 16, 8}, 2).to(type);
        in.v_BHKE = draws_of({1, 4, 16, 8}, 3).to(type);
        in.query_pos_BQ = in.key_pos_BK = positions(start, 16);
        AttentionInput reference = in;
        reference.q_BHQE = in.q_BHQE.to(at::kDouble);
        reference.k_BHKE = in.k_BHKE.to(at::kDouble);
        reference.v_BHKE = in.v_BHKE.to(at::kDouble);
        const auto want = attend(*wide, reference);
        for (const bool may_fuse : {true, false}) {
          in.may_fuse = may_fuse;
          const auto got = attend(*encoding, in);
          CHECK(got.scalar_type() == type);
          CHECK(apart(got.to(at::kDouble), want) < 16 * rounding);
        }
      }
    }
  }
}

TEST_CASE("logits and norms beyond float16's range stay finite", "[model][half]") {
  at::NoGradGuard no_grad;
  const auto rope = encoding_of("scheme: rope", small_config());
  AttentionInput in;
  for (auto* x : {&in.q_BHQE, &in.k_BHKE}) *x = draws_of({1, 4, 12, 8}, 1, 400).to(at::kHalf);
  in.v_BHKE = draws_of({1, 4, 12, 8}, 3).to(at::kHalf);
  in.query_pos_BQ = in.key_pos_BK = positions(0, 12);
  CHECK(at::matmul(in.q_BHQE.to(at::kFloat), in.k_BHKE.to(at::kFloat).transpose(-1, -2)).abs().max().item<double>() >
        65504 * 2.83);  // divided by the root of 8
  for (const bool may_fuse : {true, false}) {
    in.may_fuse = may_fuse;
    CHECK(attend(*rope, in).isfinite().all().item<bool>());
  }
  ModelConfig config;
  for (const auto kind : {NormKind::kRmsNorm, NormKind::kLayerNorm}) {
    config.norm = kind;
    Norm norm(config, 64);
    norm.to(at::kHalf);
    const auto x = draws_of({3, 64}, 4, 10000);  // whose squares float16 does not hold
    const auto got = norm.forward(x.to(at::kHalf)).to(at::kFloat);
    norm.to(at::kFloat);
    CHECK(apart(got, norm.forward(x.to(at::kHalf).to(at::kFloat))) < 4.0 / 2048);
  }
}

TEST_CASE("logits of half-precision weights are formed in float32", "[model][half]") {
  at::NoGradGuard no_grad;
  for (const bool tied : {true, false}) {
    ModelConfig config = small_config();
    config.tied_embeddings = tied;
    config.head_transform = true;
    for (const auto& [type, rounding] : kHalves) {
      INFO(tied << " " << at::toString(type));
      const auto model = small_model("scheme: rope", config), wide = small_model("scheme: rope", config);
      model->to(type);
      wide->to(type);
      wide->to(at::kDouble);
      const auto h = draws_of({2, 3, 32}, 5).to(type);
      const auto got = wide_logits(*model, h);
      CHECK(got.scalar_type() == at::kFloat);
      CHECK(apart(got.to(at::kDouble), wide->logits(h.to(at::kDouble))) < 1e-5);
      CHECK(model->logits(h).scalar_type() == type);
    }
  }
}

TEST_CASE("a product of halves on the CPU is the float32 product, rounded once", "[model][half]") {
  for (const auto type : {at::kHalf, at::kBFloat16}) {
    INFO(at::toString(type));
    const auto x = draws_of({5, 48}, 1).to(type), w = draws_of({7, 48}, 2).to(type), b = draws_of({7}, 3).to(type);
    const auto wide = at::matmul(x.to(at::kDouble), w.to(at::kDouble).t()) + b.to(at::kDouble);
    const auto got = linear_of(x, w, b);
    CHECK(got.scalar_type() == type);
    const double unit = type == at::kHalf ? 1.0 / 2048 : 1.0 / 256;  // half of the distance to the next number
    CHECK((got.to(at::kDouble) - wide).abs().div(wide.abs() + 1e-2).max().item<double>() < 1.01 * unit);
    const auto own = at::linear(x.to(at::kFloat), w.to(at::kFloat), b.to(at::kFloat)).to(type);
    CHECK(got.equal(own));
  }
}

}  // namespace lw::model_test
