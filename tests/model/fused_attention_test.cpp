// The fused kernel and the path that holds logits give the same outputs wherever the kernel may stand in.
#include "harness/model/fused_attention.h"

#include "harness/measure/attention_cost.h"
#include "harness/model/key_order.h"
#include "tests/model/support.h"

namespace lw::model_test {
namespace {

at::Tensor row(std::vector<int64_t> v) { return at::tensor(v, at::kLong).unsqueeze(0); }

at::Tensor drawn(std::vector<int64_t> sizes, uint64_t seed) {
  Rng rng(seed);
  auto out = at::empty(sizes, at::kFloat);
  fill_normal(out, rng, 1.0);
  return out.to(at::kDouble);
}

AttentionInput input(int64_t queries, int64_t keys, int64_t rows = 2, int64_t heads = 4) {
  AttentionInput in;
  in.q_BHQE = drawn({rows, heads, queries, 8}, 1);
  in.k_BHKE = drawn({rows, heads, keys, 8}, 2);
  in.v_BHKE = drawn({rows, heads, keys, 8}, 3);
  in.query_pos_BQ = positions(0, queries);
  in.key_pos_BK = positions(0, keys);
  return in;
}

/// With and without gradients: without the kernel, and with it where it may be.
double apart_from_kernel(PositionEncoding& encoding, const AttentionInput& in, int64_t tile = 0) {
  const auto held = attend(encoding, in, nullptr, nullptr, tile).detach();
  at::NoGradGuard no_grad;
  return apart(attend(encoding, in, nullptr, nullptr, tile), held);
}

std::optional<FusedMask> mask_of(PositionEncoding& encoding, const AttentionInput& in) {
  at::NoGradGuard no_grad;
  return fused_mask(encoding, in, Site{in.query_pos_BQ, in.key_pos_BK, in.layer, nullptr});
}

}  // namespace

TEST_CASE("schemes declare exactly where they touch logits", "[model][fused]") {
  const auto shape = encoding_test::small_shape();
  for (const auto& setting : encoding_test::all_settings()) {
    INFO(setting.name);
    const auto encoding = encoding_test::build(setting.for_length(64));
    Rng rng(1);
    encoding->reset_parameters(rng);
    encoding->to(at::kDouble);
    at::NoGradGuard no_grad;
    const auto q = drawn({1, shape.heads, 24, shape.head_width}, 4),
               k = drawn({1, shape.heads, 24, shape.head_width}, 5);
    const auto logits = at::matmul(q, k.transpose(-1, -2)), weights = logits.softmax(-1);
    for (const int64_t layer : encoding->layers_of_each_kind()) {
      const Site at{positions(0, 24), positions(0, 24), layer, nullptr};
      const double changed = apart(encoding->adjust_logits(logits.clone(), q, k, at).tril(), logits.tril()) +
                             apart(encoding->adjust_output(q, weights, at), q);
      CHECK(encoding->touches_logits(layer) == (changed != 0.0));
    }
  }
}

TEST_CASE("the fused kernel changes no output under any setting", "[model][fused]") {
  for (const auto& position : all_positions()) {
    INFO(position);
    const auto encoding = encoding_of(position, small_config());
    Rng rng(1);
    encoding->reset_parameters(rng);
    encoding->to(at::kDouble);
    AttentionInput whole = input(37, 37);
    CHECK(apart_from_kernel(*encoding, whole) < 1e-12);
    CHECK(apart_from_kernel(*encoding, whole, 8) < 1e-12);
    AttentionInput last = input(1, 37);
    last.query_pos_BQ = positions(36, 1);
    CHECK(apart_from_kernel(*encoding, last) < 1e-12);
    AttentionInput some = input(5, 37);
    some.query_pos_BQ = at::cat({row({3, 9, 10, 30, 36}), row({0, 1, 2, 3, 4})});
    CHECK(apart_from_kernel(*encoding, some) < 1e-12);
    AttentionInput first = input(20, 37);
    CHECK(apart_from_kernel(*encoding, first) < 1e-12);
    whole.window = 9;
    CHECK(apart_from_kernel(*encoding, whole) < 1e-12);
    whole.window = 100;
    CHECK(apart_from_kernel(*encoding, whole) < 1e-12);
    whole.softcap = 2;
    CHECK(apart_from_kernel(*encoding, whole) < 1e-12);
  }
}

TEST_CASE("the fused kernel looks both ways in an encoder", "[model][fused]") {
  for (const auto& position : all_positions(false)) {
    INFO(position);
    const auto config = small_config(false);
    const auto encoding = encoding_of(position, config);
    encoding->to(at::kDouble);
    AttentionInput in = input(19, 19);
    in.causal = false;
    CHECK(apart_from_kernel(*encoding, in) < 1e-12);
    in.key_pos_BK = at::cat({row({-1, -1}), positions(0, 17)}, 1);
    in.query_pos_BQ = in.key_pos_BK;
    CHECK_FALSE(mask_of(*encoding, in).has_value());
    CHECK(apart_from_kernel(*encoding, in) < 1e-12);
  }
}

TEST_CASE("windows that slide past the start are fused tile by tile", "[model][fused]") {
  const auto encoding = encoding_of("scheme: rope", small_config());
  AttentionInput in = input(700, 700, 1, 2);
  for (const int64_t window : {1, 40, 128, 129, 500, 699, 700}) {
    INFO(window);
    in.window = window;
    CHECK(mask_of(*encoding, in) == (window < 700 ? FusedMask::kWindow : FusedMask::kCausal));
    CHECK(apart_from_kernel(*encoding, in, 100) < 1e-12);
  }
}

TEST_CASE("the fused kernel holds no logits", "[model][fused][memory]") {
  const auto encoding = encoding_of("scheme: rope", small_config());
  at::NoGradGuard no_grad;
  const auto bytes = [&](int64_t length, bool may_fuse, int64_t window) {
    AttentionInput in = input(length, length, 1, 1);
    in.may_fuse = may_fuse;
    in.window = window;
    return double(peak_bytes_of([&] { attend(*encoding, in); }));
  };
  CHECK(bytes(1024, false, 0) > 1024 * 1024 * 8);
  CHECK(bytes(1024, true, 0) < 0.3 * bytes(1024, false, 0));
  CHECK(bytes(2048, true, 0) / bytes(1024, true, 0) < 2.3);
  CHECK(bytes(2048, true, 200) / bytes(1024, true, 200) < 2.3);
}

TEST_CASE("the kernel is left alone where it cannot mask", "[model][fused]") {
  const auto rope = encoding_of("scheme: rope", small_config()), alibi = encoding_of("scheme: alibi", small_config());
  AttentionInput in = input(6, 6);
  CHECK(mask_of(*rope, in) == FusedMask::kCausal);
  CHECK_FALSE(fused_mask(*rope, in, Site{in.query_pos_BQ, in.key_pos_BK, 0, nullptr}).has_value());  // gradients
  CHECK_FALSE(mask_of(*alibi, in).has_value());
  in.softcap = 30;
  CHECK_FALSE(mask_of(*rope, in).has_value());
  in.softcap = 0;
  in.query_pos_BQ = row({0, 1, 2, 4, 5, 5});
  CHECK_FALSE(mask_of(*rope, in).has_value());
  in.query_pos_BQ = in.key_pos_BK = row({-1, 0, 1, 2, 3, 4});
  CHECK_FALSE(mask_of(*rope, in).has_value());
  // Drawn positions have gaps; only a window measures them.
  in.query_pos_BQ = in.key_pos_BK = row({2, 3, 7, 11, 12, 20});
  CHECK(mask_of(*rope, in) == FusedMask::kCausal);
  in.window = 3;
  CHECK_FALSE(mask_of(*rope, in).has_value());
  in.window = 9;
  CHECK_FALSE(mask_of(*rope, in).has_value());
}

TEST_CASE("what keys a tile of queries may see is read off positions", "[model][fused]") {
  const KeyOrder plain(positions(0, 6), positions(0, 6));
  CHECK(plain.in_order());
  CHECK(plain.consecutive());
  CHECK_FALSE(plain.all_seen());
  CHECK(plain.seen_until(0, 1) == 1);
  CHECK(plain.seen_until(2, 3) == 5);
  const KeyOrder rows(at::cat({row({4}), row({9})}), at::cat({row({0, 1, 2, 5}), row({6, 7, 8, 9})}));
  CHECK_FALSE(rows.in_order());
  CHECK_FALSE(rows.all_seen());
  CHECK(rows.seen_until(0, 1) == 4);
  const KeyOrder one(row({5}), row({0, 1, 2, 5}));
  CHECK(one.all_seen());
  const KeyOrder padded(row({-1, 0}), row({-1, 0}));
  CHECK(padded.padded());
  CHECK_FALSE(padded.in_order());
  CHECK(padded.seen_until(0, 1) == 1);
  // Keys out of order: the last that is seen decides.
  const KeyOrder mixed(row({2}), row({9, 1, 0, 9, 2, 9}));
  CHECK(mixed.seen_until(0, 1) == 5);
  const KeyOrder none(row({0}), row({3, 4}));
  CHECK(none.seen_until(0, 1) == 1);
}

}  // namespace lw::model_test
