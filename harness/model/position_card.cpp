#include "harness/model/position_card.h"

#include <torch/types.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/base/rng.h"
#include "harness/model/attention.h"

namespace lw {
namespace {
using Json = nlohmann::ordered_json;
using torch::Tensor;

/// Far enough for any function of the position to show that it is one.
constexpr int64_t kFar = 1 << 20;

/// Above rounding in float64, below any effect of a position.
constexpr double kTolerance = 1e-9;

Tensor random_tensor(at::IntArrayRef shape, uint64_t seed) {
  Rng rng(seed);
  auto out = torch::empty(shape, torch::kFloat64);
  for (int64_t i = 0; i < out.numel(); ++i) out.data_ptr<double>()[i] = rng.normal();
  return out;
}

Tensor positions(int64_t begin, int64_t count) {
  return torch::arange(begin, begin + count, torch::kInt64).unsqueeze(0);
}

double difference(const Tensor& a, const Tensor& b) { return (a - b).abs().max().item<double>(); }

/// Small random attention in which only the positions vary.
struct Bench {
  ModelShape shape;
  int64_t length;
  Tensor x, wq, wk, wv;

  Bench(const ModelShape& s, int64_t tokens) : shape(s), length(tokens) {
    const int64_t inner = s.heads * s.head_width;
    x = random_tensor({1, tokens, s.width}, 1);
    wq = random_tensor({s.width, inner}, 2) / 8.0;
    wk = random_tensor({s.width, inner}, 3) / 8.0;
    wv = random_tensor({s.width, inner}, 4) / 8.0;
  }

  Tensor heads(const Tensor& h, const Tensor& w) const {
    return torch::matmul(h, w).view({1, h.size(1), shape.heads, shape.head_width}).transpose(1, 2);
  }

  AttentionInput input(PositionEncoding& encoding, const Tensor& pos, int64_t begin, int64_t count,
                       int64_t layer) const {
    const auto h = encoding.embed(x.narrow(1, begin, count), pos.narrow(1, begin, count));
    const auto own = pos.narrow(1, begin, count);
    return {heads(h, wq), heads(h, wk), heads(h, wv), own, own, layer, shape.causal};
  }

  Tensor full(PositionEncoding& encoding, int64_t layer) const {
    return attend(encoding, input(encoding, positions(0, length), 0, length, layer));
  }

  /// How far logits move when query and key move alike. One token repeated stands at 0 .. n-1 and again at
  /// shift .. shift+n-1 of a single pass, so that content and length are the same at both places.
  double moved_by(PositionEncoding& encoding, int64_t shift, int64_t layer) const {
    const int64_t n = length / 2;
    const auto pos = torch::cat({positions(0, n), positions(shift, n)}, 1);
    const auto h = encoding.embed(x.narrow(1, 0, 1).expand({1, 2 * n, -1}), pos);
    const Site at{pos, pos, layer, nullptr};
    const auto q = encoding.rotate_query(heads(h, wq), at), k = encoding.rotate_key(heads(h, wk), at);
    const auto logits = encoding.adjust_logits(torch::matmul(q, k.transpose(-1, -2)), q, k, at);
    return difference(logits.narrow(2, 0, n).narrow(3, 0, n), logits.narrow(2, n, n).narrow(3, n, n));
  }

  /// Each key rotated when its token arrives and kept: what a plain key cache does.
  Tensor token_by_token(PositionEncoding& encoding, int64_t layer) const {
    const auto pos = positions(0, length);
    LayerCache cache;
    std::vector<Tensor> out;
    for (int64_t t = 0; t < length; ++t) {
      AttentionInput in = input(encoding, pos, t, 1, layer);
      const Site own{in.query_pos_BQ, in.query_pos_BQ, layer, nullptr};
      const auto k = encoding.rotate_key(in.k_BHKE, own);
      cache.k_BHKE = t == 0 ? k : torch::cat({cache.k_BHKE, k}, 2);
      cache.v_BHKE = t == 0 ? in.v_BHKE : torch::cat({cache.v_BHKE, in.v_BHKE}, 2);
      const Site at{in.query_pos_BQ, pos.narrow(1, 0, t + 1), layer, nullptr};
      const auto q = encoding.rotate_query(in.q_BHQE, at);
      auto logits = torch::matmul(q, cache.k_BHKE.transpose(-1, -2)) / std::sqrt(double(shape.head_width));
      logits = encoding.adjust_logits(logits, q, cache.k_BHKE, at);
      const auto weights = logits.softmax(-1);
      out.push_back(encoding.adjust_output(torch::matmul(weights, cache.v_BHKE), weights, at));
    }
    return torch::cat(out, 2);
  }
};

std::shared_ptr<PositionEncoding> fresh(const std::function<std::shared_ptr<PositionEncoding>()>& make) {
  auto encoding = make();
  Rng rng(7);
  encoding->reset_parameters(rng);  // zero tables would hide what they do
  encoding->to(torch::kFloat64);
  encoding->eval();
  return encoding;
}

/// Which hooks change anything, near the start or, where positions have no bound, far from it.
std::vector<std::string> applies_to(PositionEncoding& e, const Bench& b) {
  std::vector<int64_t> starts = {1};
  if (!e.max_positions()) starts.push_back(kFar);
  double input = 0, query = 0, key = 0, logit = 0, value = 0;
  const auto widen = [](double& worst, const Tensor& x, const Tensor& y) { worst = std::max(worst, difference(x, y)); };
  const auto q = b.heads(b.x, b.wq), k = b.heads(b.x, b.wk), v = b.heads(b.x, b.wv);
  for (const int64_t start : starts) {
    const auto pos = positions(start, b.length);
    widen(input, e.embed(b.x, pos), b.x);
    for (const int64_t layer : e.layers_of_each_kind()) {
      const Site at{pos, pos, layer, nullptr};
      const auto rotated_q = e.rotate_query(q, at), rotated_k = e.rotate_key(k, at);
      const auto logits = torch::matmul(rotated_q, rotated_k.transpose(-1, -2));
      const auto weights = logits.softmax(-1);
      const auto out = torch::matmul(weights, v);
      widen(query, rotated_q, q);
      widen(key, rotated_k, k);
      widen(logit, e.adjust_logits(logits, rotated_q, rotated_k, at), logits);
      widen(value, e.adjust_output(out, weights, at), out);
    }
  }
  std::vector<std::string> names;
  for (const auto& [name, worst] : {std::pair{"input", input}, std::pair{"query", query}, std::pair{"key", key},
                                    std::pair{"logits", logit}, std::pair{"value", value}})
    if (worst > kTolerance) names.emplace_back(name);
  return names;
}

Json property(bool declared, bool measured, double residual) {
  return {{"declared", declared}, {"measured", measured}, {"residual", residual}};
}

Json fact(const CardFact& f) {
  if (f.numbers.empty()) return f.value;
  if (f.numbers.size() == 1) return f.numbers.front();
  return f.numbers;
}

}  // namespace

Json position_card(const std::string& scheme, const ModelShape& shape, int64_t length,
                   const std::function<std::shared_ptr<PositionEncoding>()>& make) {
  torch::NoGradGuard no_grad;
  auto encoding = fresh(make);
  const auto bound = encoding->max_positions();
  // Long enough to cross the training length, where dynamic methods change, and within a table's bound.
  int64_t tokens = std::min<int64_t>(shape.train_length + 16, 96);
  if (shape.train_length > 80) tokens = 96;
  if (bound) tokens = std::min(tokens, std::max<int64_t>(2, *bound / 2));
  const int64_t shift = bound ? *bound - tokens / 2 : std::max<int64_t>(97, 2 * shape.train_length);
  const Bench bench(shape, tokens);

  Json card;
  card["scheme"] = scheme;
  const auto where = applies_to(*encoding, bench);
  card["applies_to"] = where;
  int64_t parameters = 0;
  for (const auto& p : encoding->parameters()) parameters += p.numel();
  card["learned"] = parameters > 0;
  card["parameters"] = parameters;
  card["max_positions"] = bound ? Json(*bound) : Json(nullptr);
  card["cache"] = key_cache_name(encoding->key_cache());

  double moved = 0, cached = 0;
  for (const int64_t layer : encoding->layers_of_each_kind()) {
    moved = std::max(moved, bench.moved_by(*fresh(make), shift, layer));
    if (!encoding->shift_invariant() && !bound)
      moved = std::max(moved, bench.moved_by(*fresh(make), kFar, layer));  // it may change far out only
    if (shape.causal)
      cached = std::max(cached, difference(bench.full(*fresh(make), layer), bench.token_by_token(*fresh(make), layer)));
  }
  card["shift_invariant"] = property(encoding->shift_invariant(), moved <= kTolerance, moved);
  const bool value = std::find(where.begin(), where.end(), "value") != where.end();
  card["value_touched"] = {{"declared", encoding->touches_values()}, {"measured", value}};
  if (shape.causal)
    card["cache_valid"] = property(encoding->key_cache() == KeyCache::kRotated, cached <= kTolerance, cached);
  for (const auto& f : encoding->facts(length > 0 ? length : shape.train_length)) card[f.name] = fact(f);
  return card;
}

std::vector<std::string> card_disagreements(const Json& card) {
  std::vector<std::string> names;
  for (const auto& [key, value] : card.items())
    if (value.is_object() && value.contains("declared") && value.contains("measured") &&
        value["declared"] != value["measured"])
      names.push_back(key);
  return names;
}

}  // namespace lw
