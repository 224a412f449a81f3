// Shaw's relative vectors against the definition, written out pair by pair.
#include "tests/encodings/support.h"

namespace lw::encoding_test {
namespace {

struct ShawCase {
  int64_t rows = 2, heads = 4, queries = 7, keys = 11, width = 8, max_distance = 3;
  at::Tensor q = draw({rows, heads, queries, width}, "q"), k = draw({rows, heads, keys, width}, "k"),
             v = draw({rows, heads, keys, width}, "v");
  at::Tensor query_pos = row_tensor({{4, 5, 6, 7, 8, 9, 10}, {10, 2, 3, 0, 7, 7, 1}});
  at::Tensor key_pos = at::cat({positions(11), positions(11, 100) - 95});
  std::shared_ptr<PositionEncoding> encoding;

  explicit ShawCase(const std::string& options = "") {
    encoding = build_drawn("scheme: shaw\nmax_distance: 3\n" + options);
  }
  Site at(int64_t layer) const { return {query_pos, key_pos, layer, nullptr}; }

  /// Row of a [layers, 2k + 1, E] table for one pair.
  at::Tensor vector_of(const std::string& table, int64_t layer, int64_t b, int64_t i, int64_t j) const {
    const int64_t ahead = key_pos[b][j].item<int64_t>() - query_pos[b][i].item<int64_t>();
    const int64_t row = std::min(std::max(ahead, -max_distance), max_distance) + max_distance;
    return encoding->named_parameters()[table][layer][row];
  }
};

}  // namespace

TEST_CASE("Shaw's logits and outputs equal the sums over pairs", "[encodings]") {
  const ShawCase c;
  const at::NoGradGuard no_grad;
  for (int64_t layer = 0; layer < 2; ++layer) {
    auto logits = at::zeros({c.rows, c.heads, c.queries, c.keys}, at::kDouble);
    auto out = at::zeros({c.rows, c.heads, c.queries, c.width}, at::kDouble);
    const auto weights = draw({c.rows, c.heads, c.queries, c.keys}, "w").softmax(-1);
    for (int64_t b = 0; b < c.rows; ++b)
      for (int64_t h = 0; h < c.heads; ++h)
        for (int64_t i = 0; i < c.queries; ++i)
          for (int64_t j = 0; j < c.keys; ++j) {
            const auto key = c.k[b][h][j] + c.vector_of("keys", layer, b, i, j);
            logits[b][h][i][j] = c.q[b][h][i].dot(key) / std::sqrt(8.0);
            out[b][h][i] += weights[b][h][i][j] * (c.v[b][h][j] + c.vector_of("values", layer, b, i, j));
          }
    const auto plain = at::matmul(c.q, c.k.transpose(-1, -2)) / std::sqrt(8.0);
    CHECK(largest_gap(c.encoding->adjust_logits(plain, c.q, c.k, c.at(layer)), logits) < 1e-14);
    CHECK(largest_gap(c.encoding->adjust_output(at::matmul(weights, c.v), weights, c.at(layer)), out) < 1e-14);
  }
}

TEST_CASE("each layer has its own Shaw tables, shared by its heads", "[encodings]") {
  const ShawCase c;
  CHECK(c.encoding->parameters().size() == 2);
  CHECK(c.encoding->named_parameters()["keys"].sizes().vec() == std::vector<int64_t>{2, 7, 8});
  const auto plain = at::zeros({2, 4, 7, 11}, at::kDouble);
  const auto same_q = c.q.narrow(1, 0, 1).expand_as(c.q);
  const auto first = c.encoding->adjust_logits(plain, same_q, c.k, c.at(0));
  CHECK(largest_gap(first.select(1, 0), first.select(1, 3)) == 0);
  CHECK(largest_gap(first, c.encoding->adjust_logits(plain, same_q, c.k, c.at(1))) > 1e-4);
}

TEST_CASE("Shaw without values touches logits alone", "[encodings]") {
  const ShawCase with, without("values: false\n");
  CHECK(with.encoding->touches_values());
  CHECK_FALSE(without.encoding->touches_values());
  CHECK(without.encoding->parameters().size() == 1);
  const auto weights = draw({2, 4, 7, 11}, "w").softmax(-1);
  const auto out = at::matmul(weights, without.v);
  CHECK(at::equal(without.encoding->adjust_output(out, weights, without.at(0)), out));
}

TEST_CASE("distances past max_distance share one Shaw vector", "[encodings]") {
  const ShawCase c;
  const auto q = c.q.narrow(0, 0, 1).narrow(2, 0, 1);
  const auto scores =
      c.encoding->adjust_logits(at::zeros({1, 4, 1, 5}, at::kDouble), q, {},
                                {positions(1, 1000), row_tensor({{0, 500, 996, 997, 998}}), 0, nullptr});
  CHECK(largest_gap(scores.slice(-1, 0, 1), scores.slice(-1, 3, 4)) == 0);
  CHECK(largest_gap(scores.slice(-1, 0, 1), scores.slice(-1, 4, 5)) > 1e-4);
}

TEST_CASE("half-precision attention weights are summed in float32", "[encodings]") {
  const ShawCase c;
  c.encoding->to(at::kFloat);
  const int64_t keys = 4096;
  const auto weights = at::full({1, 4, 1, keys}, 1.0 / double(keys), at::kBFloat16);
  const Site at{positions(1, keys + 10), positions(keys), 0, nullptr};  // every key past max_distance
  const auto out = c.encoding->adjust_output(at::zeros({1, 4, 1, 8}, at::kFloat), weights, at);
  CHECK(largest_gap(out[0][0][0], c.encoding->named_parameters()["values"][0][0]) < 1e-8);
}

}  // namespace lw::encoding_test
