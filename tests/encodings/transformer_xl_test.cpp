// Transformer-XL's logits against the definition, pair by pair, and against the paper's shift.
#include "tests/encodings/bias_support.h"

namespace lw::encoding_test {
namespace {

/// u and v of the size of queries, so that every term shows.
std::shared_ptr<PositionEncoding> wide_drawn(bool causal = true) {
  auto encoding = build_drawn("scheme: transformer_xl\n", small_shape(causal));
  const at::NoGradGuard no_grad;
  for (auto& parameter : encoding->parameters()) parameter.mul_(20);
  return encoding;
}

/// All sines of the distance, then all cosines: [32].
at::Tensor sinusoid(int64_t distance) {
  auto out = at::empty({32}, at::kDouble);
  for (int64_t i = 0; i < 16; ++i) {
    const double angle = double(distance) * std::pow(10000.0, -double(i) / 16);
    out[i] = std::sin(angle);
    out[16 + i] = std::cos(angle);
  }
  return out;
}

at::Tensor pair_by_pair(PositionEncoding& encoding, const at::Tensor& q, const at::Tensor& k,
                        const at::Tensor& query_pos, const at::Tensor& key_pos, int64_t layer, bool causal) {
  const at::NoGradGuard no_grad;
  const auto p = encoding.named_parameters();
  auto out = at::zeros({q.size(0), 4, q.size(2), k.size(2)}, at::kDouble);
  for (int64_t b = 0; b < q.size(0); ++b)
    for (int64_t h = 0; h < 4; ++h)
      for (int64_t i = 0; i < q.size(2); ++i)
        for (int64_t j = 0; j < k.size(2); ++j) {
          int64_t distance =
              query_pos[b % query_pos.size(0)][i].item<int64_t>() - key_pos[b % key_pos.size(0)][j].item<int64_t>();
          if (causal) distance = std::max<int64_t>(distance, 0);
          const auto r = at::matmul(p["r_proj"][layer].narrow(0, h * 8, 8), sinusoid(distance));
          const auto query = q[b][h][i];
          out[b][h][i][j] = ((query + p["u"][h]).dot(k[b][h][j]) + (query + p["v"][h]).dot(r)) / std::sqrt(8.0);
        }
  return out;
}

struct Draws {
  at::Tensor q, k, query_pos, key_pos;
};

Draws draws(int64_t queries, int64_t keys, int64_t first_query, int64_t rows = 1) {
  return {draw({rows, 4, queries, 8}, "q"), draw({rows, 4, keys, 8}, "k"), positions(queries, first_query),
          positions(keys)};
}

}  // namespace

TEST_CASE("Transformer-XL's logits equal the sums over pairs, whatever the numbers of queries and keys",
          "[encodings]") {
  std::vector<Draws> calls = {draws(9, 9, 0), draws(4, 11, 7, 2), draws(1, 12, 11), draws(6, 3, 40)};
  calls.push_back(draws(5, 7, 0, 2));
  calls.back().query_pos = row_tensor({{6, 2, 3, 0, 1}, {1'000'000, 4, 4, 500, 9}});
  calls.back().key_pos = at::cat({positions(7), positions(7, 3)});
  for (const bool causal : {true, false}) {
    const auto encoding = wide_drawn(causal);
    for (const auto& c : calls)
      for (const int64_t layer : {0, 1}) {
        const auto got =
            encoding->adjust_logits(scaled_logits(c.q, c.k), c.q, c.k, {c.query_pos, c.key_pos, layer, nullptr});
        CHECK(largest_gap(got, pair_by_pair(*encoding, c.q, c.k, c.query_pos, c.key_pos, layer, causal)) < 1e-11);
      }
  }
}

// The paper's appendix B: scores of all distances in falling order, one zero column in front, read again with
// rows one longer. It holds for a segment of queries at the end of the keys.
TEST_CASE("Transformer-XL's logits equal the paper's shift where that holds", "[encodings]") {
  const auto encoding = wide_drawn();
  const at::NoGradGuard no_grad;
  const auto p = encoding->named_parameters();
  for (const auto& [queries, keys] : {std::pair<int64_t, int64_t>{7, 7}, {4, 11}, {1, 6}}) {
    const auto c = draws(queries, keys, keys - queries);
    std::vector<at::Tensor> falling;
    for (int64_t d = keys - 1; d >= 0; --d) falling.push_back(sinusoid(d));
    const auto key_HEN = at::matmul(p["r_proj"][0], at::stack(falling).t()).view({4, 8, keys});
    const auto score = at::matmul(c.q + p["v"].unsqueeze(1), key_HEN);
    const auto padded = at::cat({at::zeros({1, 4, queries, 1}, at::kDouble), score}, -1);
    const auto shifted = padded.view({1, 4, keys + 1, queries}).slice(2, 1).reshape({1, 4, queries, keys});
    const auto content = at::matmul(c.q + p["u"].unsqueeze(1), c.k.transpose(-1, -2));
    const auto want = (content + shifted) / std::sqrt(8.0);
    const auto got = encoding->adjust_logits(scaled_logits(c.q, c.k), c.q, c.k, {c.query_pos, c.key_pos, 0, nullptr});
    const auto seen = c.key_pos.unsqueeze(-2) <= c.query_pos.unsqueeze(-1);  // the shift leaves rubbish ahead
    CHECK(largest_gap((got - want).masked_fill(seen.logical_not().unsqueeze(1), 0), at::zeros_like(got)) < 1e-11);
  }
}

TEST_CASE("Transformer-XL without W, u and v adds nothing", "[encodings]") {
  const auto encoding = build("scheme: transformer_xl\n");
  encoding->to(at::kDouble);
  const auto c = draws(6, 9, 3);
  const auto plain = scaled_logits(c.q, c.k);
  CHECK(at::equal(encoding->adjust_logits(plain, c.q, c.k, {c.query_pos, c.key_pos, 0, nullptr}), plain));
}

TEST_CASE("without a causal mask Transformer-XL tells before from after", "[encodings]") {
  const auto encoding = wide_drawn(false);
  const auto q = draw({1, 4, 1, 8}, "q"), k = draw({1, 4, 1, 8}, "k").expand({1, 4, 2, 8});
  const auto out =
      encoding->adjust_logits(scaled_logits(q, k), q, k, {positions(1, 5), row_tensor({{2, 8}}), 0, nullptr});
  CHECK(largest_gap(out.select(-1, 0), out.select(-1, 1)) > 1e-2);
}

TEST_CASE("an odd model width has no Transformer-XL sinusoid", "[encodings]") {
  CHECK_THAT(config_error("scheme: transformer_xl\n", shape_with(3, true, 5)),
             Catch::Matchers::ContainsSubstring("position.yaml:1:9: scheme: found 'transformer_xl' with a model width "
                                                "of 15; allowed: an even width"));
}

}  // namespace lw::encoding_test
