#include "harness/measure/position_measure.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/base/rng.h"

namespace lw {

namespace {

constexpr double kZeroTableStd = 0.02;

}  // namespace

at::Tensor measure_draws(at::IntArrayRef sizes, uint64_t seed) {
  Rng rng(seed);
  auto out = at::empty(sizes, at::kDouble);
  for (int64_t i = 0; i < out.numel(); ++i) out.data_ptr<double>()[i] = rng.normal();
  return out;
}

at::Tensor measure_positions(int64_t begin, int64_t count) {
  return at::arange(begin, begin + count, at::kLong).unsqueeze(0);
}

double measure_gap(const at::Tensor& a, const at::Tensor& b) {
  if (a.numel() == 0) return 0;
  // Two masked logits are alike, although their difference is no number.
  const double gap = at::where(a.eq(b), at::zeros_like(a), (a - b).abs()).max().item<double>();
  return std::isfinite(gap) ? gap : std::numeric_limits<double>::infinity();
}

std::shared_ptr<PositionEncoding> fresh_encoding(const MakeEncoding& make) {
  auto encoding = make();
  Rng rng(7);
  encoding->reset_parameters(rng);
  encoding->to(at::kDouble);
  const at::NoGradGuard no_grad;
  for (auto& parameter : encoding->parameters())  // a table may be meant to start at zero
    if (parameter.eq(0).all().item<bool>()) parameter.copy_(measure_draws(parameter.sizes(), 8) * kZeroTableStd);
  return encoding;
}

SiteLogits site_logits(PositionEncoding& encoding, const at::Tensor& q_BHQE, const at::Tensor& k_BHKE, const Site& at,
                       double divisor) {
  SiteLogits out;
  out.q_BHQE = encoding.rotate_query(q_BHQE, at);
  out.k_BHKE = encoding.rotate_key(k_BHKE, at);
  out.products_BHQK = at::matmul(out.q_BHQE, out.k_BHKE.transpose(-1, -2)) / divisor;
  out.logits_BHQK = encoding.adjust_logits(out.products_BHQK, out.q_BHQE, out.k_BHKE, at);
  return out;
}

at::Tensor last_query_logits(PositionEncoding& encoding, const at::Tensor& x_1HTE, int64_t layer) {
  const int64_t last = x_1HTE.size(2) - 1;
  const auto pos = measure_positions(0, last + 1);
  const Site at{pos.narrow(1, last, 1), pos, layer, nullptr};
  const double divisor = std::sqrt(double(x_1HTE.size(3)));
  const auto logits_1H1K = site_logits(encoding, x_1HTE.narrow(2, last, 1), x_1HTE, at, divisor).logits_BHQK;
  return logits_1H1K.select(0, 0).select(1, 0).flip(-1);
}

at::Tensor spread_positions(int64_t count, int64_t last) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < count; ++i) {
    const double share = count > 1 ? double(i) / double(count - 1) : 0.0;
    out.push_back(i + int64_t(std::llround(double(last - (count - 1)) * share * share * share)));
  }
  return at::tensor(out, at::kLong).unsqueeze(0);
}

MeasuredAttention::MeasuredAttention(const ModelShape& shape, int64_t length, int64_t last)
    : shape_(shape), length_(length), last_(last), pos_1T_(spread_positions(length, last)) {
  const int64_t inner = shape.heads * shape.head_width;
  x_ = measure_draws({1, length, shape.width}, 1);
  wq_ = measure_draws({shape.width, inner}, 2) / 8.0;
  wk_ = measure_draws({shape.width, inner}, 3) / 8.0;
  wv_ = measure_draws({shape.width, inner}, 4) / 8.0;
}

at::Tensor MeasuredAttention::heads(const at::Tensor& x_1TD, Role role) const {
  const auto& weight = role == Role::kQuery ? wq_ : role == Role::kKey ? wk_ : wv_;
  return at::matmul(x_1TD, weight).view({1, x_1TD.size(1), shape_.heads, shape_.head_width}).transpose(1, 2);
}

AttentionInput MeasuredAttention::input(PositionEncoding& encoding, int64_t layer, int64_t begin, int64_t count) const {
  const auto own = pos_1T_.narrow(1, begin, count);
  const auto h = encoding.embed(x_.narrow(1, begin, count), own);
  return {heads(h, Role::kQuery), heads(h, Role::kKey), heads(h, Role::kValue), own, own, layer, shape_.causal};
}

at::Tensor MeasuredAttention::full(PositionEncoding& encoding, int64_t layer, int64_t tile) const {
  AttentionInput in = input(encoding, layer, 0, length_);
  in.may_fuse = false;  // what is measured are the hooks
  return attend(encoding, in, nullptr, nullptr, tile);
}

MeasuredAttention::Moved MeasuredAttention::moved_by(PositionEncoding& encoding, int64_t layer, int64_t shift) const {
  const int64_t n = length_ / 2;
  const auto here_1N = spread_positions(n, std::max(last_, n - 1));
  const auto pos = at::cat({here_1N, here_1N + shift}, 1);
  const auto h = encoding.embed(x_.narrow(1, 0, 1).expand({1, 2 * n, -1}), pos);
  const Site at{pos, pos, layer, nullptr};
  const SiteLogits made = site_logits(encoding, heads(h, Role::kQuery), heads(h, Role::kKey), at);
  const auto moved = [n, this](const at::Tensor& x) {
    const auto here = x.narrow(2, 0, n).narrow(3, 0, n), there = x.narrow(2, n, n).narrow(3, n, n);
    // Keys ahead of a causal query are masked: what stands there is nobody's.
    return shape_.causal ? measure_gap(here.tril(), there.tril()) : measure_gap(here, there);
  };
  return {moved(made.logits_BHQK), moved(made.products_BHQK)};
}

at::Tensor MeasuredAttention::token_by_token(PositionEncoding& encoding, int64_t layer, bool raw) const {
  LayerCache cache;
  std::vector<at::Tensor> out;
  for (int64_t t = 0; t < length_; ++t) {
    const AttentionInput in = input(encoding, layer, t, 1);
    const Site own{in.query_pos_BQ, in.query_pos_BQ, layer, nullptr};
    const Site at{in.query_pos_BQ, pos_1T_.narrow(1, 0, t + 1), layer, nullptr};
    const auto arrived = raw ? in.k_BHKE : encoding.rotate_key(in.k_BHKE, own);
    cache.k_BHKE = t == 0 ? arrived : at::cat({cache.k_BHKE, arrived}, 2);
    cache.v_BHKE = t == 0 ? in.v_BHKE : at::cat({cache.v_BHKE, in.v_BHKE}, 2);
    const auto k = raw ? encoding.rotate_key(cache.k_BHKE, at) : cache.k_BHKE;
    const auto q = encoding.rotate_query(in.q_BHQE, at);
    auto logits = at::matmul(q, k.transpose(-1, -2)) / std::sqrt(double(shape_.head_width));
    logits = encoding.adjust_logits(logits, q, k, at);
    const auto weights = logits.softmax(-1);
    out.push_back(encoding.adjust_output(at::matmul(weights, cache.v_BHKE), weights, at));
  }
  return at::cat(out, 2);
}

}  // namespace lw
