// CoPE against its authors' numbers, and its counting against the definition.
#include "tests/encodings/bias_support.h"

namespace lw::encoding_test {
namespace {

/// Four tokens with heads of three channels: q = sin, k = cos of 0 .. 11.
struct Golden {
  at::Tensor count = at::arange(12, at::kDouble).view({1, 1, 4, 3});
  at::Tensor q = count.sin(), k = count.cos(), pos = positions(4);

  std::shared_ptr<PositionEncoding> build_for(const std::string& options, const std::vector<double>& table) const {
    auto encoding = build("scheme: cope\nnpos: 3\n" + options, shape_with(1, true, 3));
    encoding->to(at::kDouble);
    const at::NoGradGuard no_grad;
    encoding->named_parameters()["pos_emb"][0].copy_(at::tensor(table, at::kDouble).view({3, 3}));
    return encoding;
  }
  at::Tensor bias(PositionEncoding& encoding) const {
    const auto plain = scaled_logits(q, k);
    return (encoding.adjust_logits(plain, q, k, {pos, pos, 0, nullptr}) - plain)[0][0];
  }
};

const std::vector<double> kGoldenTable = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};  // 0.1 (3 dim + pos)

/// Counted the slow way, every option.
at::Tensor by_definition(const Golden& g, const std::vector<double>& table, bool scaled_gates, bool nodiv) {
  auto out = at::zeros({4, 4}, at::kDouble);
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t j = 0; j < 4; ++j) {
      double at = 0;
      for (int64_t t = j; t <= i; ++t) {
        const double dot = g.q[0][0][i].dot(g.k[0][0][t]).item<double>();
        at += 1 / (1 + std::exp(-dot / (scaled_gates ? std::sqrt(3.0) : 1.0)));
      }
      at = std::min(at, 2.0);
      const auto low = size_t(at), high = std::min(low + 1, size_t(2));
      double bias = 0;
      for (size_t d = 0; d < 3; ++d) {
        const double between = table[d * 3 + low] * (1 - (at - double(low))) + table[d * 3 + high] * (at - double(low));
        bias += g.q[0][0][i][int64_t(d)].item<double>() * between;
      }
      out[i][j] = nodiv ? bias : bias / std::sqrt(3.0);
    }
  return out;
}

}  // namespace

TEST_CASE("CoPE's biases and positions equal the authors'", "[encodings][golden]") {
  const Golden g;
  const auto encoding = g.build_for("", kGoldenTable);
  const auto bias = g.bias(*encoding);
  const Json& want = goldens()["cope"];
  for (int64_t i = 0; i < 4; ++i)
    CHECK(largest_gap(bias[i], at::tensor(numbers_of(want["pos_logits"][size_t(i)]), at::kDouble)) < kTwelveDigits);
  // A table of 0, 1, 2 in one channel gives that channel of q times the position.
  const auto counting = g.build_for("", {0, 1, 2, 0, 0, 0, 0, 0, 0});
  for (int64_t i = 1; i < 4; ++i)  // q's first channel is sin(0) for token 0
    CHECK(golden_gap(g.bias(*counting)[i] / g.q[0][0][i][0], numbers_of(want["positions"][size_t(i)])) < 1e-11);
}

TEST_CASE("CoPE's peers differ in gates and in where the bias is added: all forms as defined", "[encodings]") {
  const Golden g;
  const std::vector<double> table = {0.3, -1, 2, 0.5, 0.1, -0.7, 1.2, 0.9, -2};
  for (const bool scaled : {true, false})
    for (const bool nodiv : {true, false}) {
      const auto encoding = g.build_for(std::string("gate_logits: ") + (scaled ? "listing" : "equation") +
                                            "\nnodiv: " + (nodiv ? "true" : "false") + "\n",
                                        table);
      CHECK(largest_gap(g.bias(*encoding), by_definition(g, table, scaled, nodiv)) < 1e-14);
    }
}

TEST_CASE("CoPE with every gate open counts tokens, up to the last position", "[encodings]") {
  const auto encoding = build_drawn("scheme: cope\nnpos: 5\n");
  const at::NoGradGuard no_grad;
  const auto q = draw({1, 4, 9, 8}, "q");
  const auto open = at::full({1, 4, 9, 9}, 1000.0, at::kDouble);
  const auto bias = encoding->adjust_logits(open, q, {}, {positions(9), positions(9), 0, nullptr}) - open;
  const auto score = at::matmul(q, encoding->named_parameters()["pos_emb"][0]);
  for (int64_t i = 0; i < 9; ++i)
    for (int64_t j = 0; j <= i; ++j)  // the token itself stands at 1
      CHECK(largest_gap(bias.select(2, i).select(2, j), score.select(2, i).select(2, std::min<int64_t>(i - j + 1, 4))) <
            1e-12);
  const auto shut = -open;
  CHECK(largest_gap(encoding->adjust_logits(shut, q, {}, {positions(9), positions(9), 0, nullptr}) - shut,
                    score.select(-1, 0).unsqueeze(-1).expand({1, 4, 9, 9})) < 1e-12);
}

TEST_CASE("keys ahead of the query and padding open no CoPE gate", "[encodings]") {
  const auto encoding = build_drawn("scheme: cope\nnpos: 8\n");
  const at::NoGradGuard no_grad;
  const auto q = draw({1, 4, 5, 8}, "q"), k = draw({1, 4, 5, 8}, "k");
  const auto plain = scaled_logits(q, k);
  const auto out = encoding->adjust_logits(plain, q, k, {positions(5), positions(5), 0, nullptr});
  // Padding after, between or before the tokens changes none of their logits.
  const std::vector<std::vector<int64_t>> layouts = {{0, 1, 2, 3, 4, -1}, {0, 1, -1, 2, 3, 4}, {-1, 0, 1, 2, 3, 4}};
  for (const auto& layout : layouts) {
    const auto pos = at::tensor(layout, at::kLong).unsqueeze(0);
    const auto source = at::tensor(layout, at::kLong).clamp_min(0);
    const auto padded_q = q.index_select(2, source), padded_k = k.index_select(2, source) * 3;
    const auto real = (pos[0] >= 0).nonzero().flatten();
    auto keys = padded_k.clone();
    keys.index_copy_(2, real, k);
    const auto padded = encoding->adjust_logits(scaled_logits(padded_q, keys), padded_q, keys, {pos, pos, 0, nullptr});
    CHECK(padded.isfinite().all().item<bool>());
    CHECK(largest_gap(padded.index_select(2, real).index_select(3, real), out) < 1e-14);
  }
  // A later key's content is not counted.
  auto later = plain.clone();
  later.select(-1, 4).add_(50);
  const auto changed = encoding->adjust_logits(later, q, k, {positions(5), positions(5), 0, nullptr});
  CHECK(largest_gap(changed.slice(2, 0, 4).slice(3, 0, 4), out.slice(2, 0, 4).slice(3, 0, 4)) == 0);
}

TEST_CASE("CoPE gives its gates a gradient that equals differences", "[encodings]") {
  const auto encoding = build_drawn("scheme: cope\nnpos: 4\n");
  const auto q = draw({1, 4, 6, 8}, "q"), weights = draw({1, 4, 6, 6}, "weights");
  auto logits = draw({1, 4, 6, 6}, "logits").requires_grad_(true);
  const auto loss = [&] {
    return (encoding->adjust_logits(logits, q, {}, {positions(6), positions(6), 0, nullptr}) * weights).sum();
  };
  loss().backward();
  const at::NoGradGuard no_grad;
  for (const auto& [i, j] : {std::pair<int64_t, int64_t>{0, 0}, {5, 1}, {5, 5}, {3, 2}, {2, 4}}) {
    auto value = logits[0][2][i][j];
    constexpr double kStep = 1e-6;
    value.add_(kStep);
    const double above = loss().item<double>();
    value.sub_(2 * kStep);
    const double below = loss().item<double>();
    value.add_(kStep);
    CHECK(logits.grad()[0][2][i][j].item<double>() ==
          Catch::Approx((above - below) / (2 * kStep)).epsilon(1e-6).margin(1e-9));
  }
}

TEST_CASE("CoPE is refused where there is no causal mask", "[encodings]") {
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(config_error("scheme: cope\n", small_shape(false)),
             ContainsSubstring("position.yaml:1:9: scheme: found 'cope' in a model without a causal mask") &&
                 ContainsSubstring("allowed: a decoder"));
  CHECK_THAT(config_error("scheme: cope\nnpos: 1\n"), ContainsSubstring("npos: found '1'"));
}

}  // namespace lw::encoding_test
