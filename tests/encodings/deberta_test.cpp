// DeBERTa's terms against the definition, pair by pair, and its buckets against transformers'.
#include "tests/encodings/bias_support.h"

namespace lw::encoding_test {
namespace {

std::shared_ptr<PositionEncoding> wide_drawn(const std::string& options) {
  auto encoding = build_drawn("scheme: deberta\n" + options);
  const at::NoGradGuard no_grad;
  for (auto& parameter : encoding->parameters()) parameter.mul_(10);
  return encoding;
}

/// Every row of P holds its own number, and projections and queries let it through: the logits of one query are
/// rows of P.
std::shared_ptr<PositionEncoding> numbered_rows(const std::string& options) {
  auto encoding = build("scheme: deberta\npos_att_type: [c2p]\n" + options, shape_with(1, false, 2));
  encoding->to(at::kDouble);
  const at::NoGradGuard no_grad;
  const auto p = encoding->named_parameters();
  p["rel_embeddings"].copy_(at::arange(p["rel_embeddings"].size(0)).unsqueeze(1).expand({-1, 2}));
  p["pos_key_proj"].zero_();
  p["pos_key_proj"][0][0][0] = 1;
  return encoding;
}

std::vector<double> rows_seen(PositionEncoding& encoding, int64_t query, const std::vector<int64_t>& relative) {
  const at::NoGradGuard no_grad;
  std::vector<int64_t> keys;
  for (const int64_t r : relative) keys.push_back(query - r);
  const auto key_pos = at::tensor(keys, at::kLong).unsqueeze(0);
  const auto q = at::ones({1, 1, 1, 2}, at::kDouble);
  const auto zeros = at::zeros({1, 1, 1, key_pos.size(1)}, at::kDouble);
  const auto got = encoding.adjust_logits(zeros, q, {}, {positions(1, query), key_pos, 0, nullptr}) * 2.0;  // sqrt(2 E)
  const auto rows = got.flatten().round();
  CHECK(largest_gap(rows, got.flatten()) < 1e-10);
  return {rows.data_ptr<double>(), rows.data_ptr<double>() + rows.numel()};
}

}  // namespace

// The golden numbers are buckets before they are clipped to the rows of P.
TEST_CASE("DeBERTa's logarithmic buckets equal transformers'", "[encodings][golden]") {
  const Json& want = goldens()["deberta_v2_log_bucket"];
  const auto relative = want["relative_position q-k"].get<std::vector<int64_t>>();
  std::vector<double> rows;
  for (const auto bucket : want["bucket"].get<std::vector<int64_t>>())
    rows.push_back(double(std::clamp<int64_t>(bucket + 256, 0, 511)));
  REQUIRE(want["bucket_size"].get<int64_t>() == 256);
  REQUIRE(want["max_position"].get<int64_t>() == 512);
  const auto encoding = numbered_rows("position_buckets: 256\nmax_relative_positions: 512\n");
  CHECK(rows_seen(*encoding, 1000, relative) == rows);
}

TEST_CASE("without buckets DeBERTa's rows are clipped distances", "[encodings]") {
  const auto encoding = numbered_rows("max_relative_positions: 4\n");
  CHECK(rows_seen(*encoding, 50, {-50, -5, -4, -3, -1, 0, 1, 3, 4, 5, 50}) ==
        std::vector<double>{0, 0, 0, 1, 3, 4, 5, 7, 7, 7, 7});
}

// Fault 69: bucket number and longest distance changed places when queries and keys were not equally many.
TEST_CASE("one DeBERTa query over 600 keys has the row of the square case", "[encodings][fault]") {
  for (const char* options : {"position_buckets: 256\n", "max_relative_positions: 512\n"}) {
    INFO(options);
    const auto encoding = wide_drawn(options);
    const at::NoGradGuard no_grad;
    const auto q = draw({1, 4, 600, 8}, "q"), k = draw({1, 4, 600, 8}, "k");
    const auto pos = positions(600);
    const auto square = encoding->adjust_logits(scaled_logits(q, k), q, k, {pos, pos, 0, nullptr});
    for (const int64_t query : {0, 17, 599}) {
      const auto one = q.narrow(2, query, 1);
      const auto row = encoding->adjust_logits(scaled_logits(one, k), one, k, {positions(1, query), pos, 0, nullptr});
      CHECK(largest_gap(row, square.narrow(2, query, 1)) < 1e-12);
    }
  }
}

TEST_CASE("DeBERTa's logits equal the sums over pairs, divided by all terms", "[encodings]") {
  struct Case {
    const char* options;
    double terms;
    bool c2p, p2c;
  };
  for (const auto& [options, terms, c2p, p2c] : {Case{"", 3, true, true}, Case{"pos_att_type: [c2p]\n", 2, true, false},
                                                 Case{"pos_att_type: [p2c]\n", 2, false, true}}) {
    INFO(options);
    const auto encoding = wide_drawn(std::string("max_relative_positions: 3\n") + options);
    const at::NoGradGuard no_grad;
    const auto q = draw({2, 4, 5, 8}, "q"), k = draw({2, 4, 7, 8}, "k");
    const auto query_pos = row_tensor({{6, 2, 3, 0, 1}, {100, 4, 4, 5, 9}});
    const auto key_pos = at::cat({positions(7), positions(7, 3)});
    const auto p = encoding->named_parameters();
    const auto row = [](int64_t relative) { return std::clamp<int64_t>(relative + 3, 0, 5); };
    for (const int64_t layer : {0, 1}) {
      auto want = at::zeros({2, 4, 5, 7}, at::kDouble);
      for (int64_t b = 0; b < 2; ++b)
        for (int64_t i = 0; i < 5; ++i)
          for (int64_t j = 0; j < 7; ++j) {
            const int64_t relative = query_pos[b][i].item<int64_t>() - key_pos[b][j].item<int64_t>();
            for (int64_t h = 0; h < 4; ++h) {
              const auto project = [&](const char* name, int64_t r) {
                return at::matmul(p[name][layer].narrow(0, h * 8, 8), p["rel_embeddings"][r]);
              };
              auto sum = q[b][h][i].dot(k[b][h][j]);
              if (c2p) sum = sum + q[b][h][i].dot(project("pos_key_proj", row(relative)));
              if (p2c) sum = sum + k[b][h][j].dot(project("pos_query_proj", row(-relative)));
              want[b][h][i][j] = sum / std::sqrt(terms * 8);
            }
          }
      const auto got = encoding->adjust_logits(scaled_logits(q, k), q, k, {query_pos, key_pos, layer, nullptr});
      CHECK(largest_gap(got, want) < 1e-12);
    }
    CHECK(fact_number(*encoding, "terms") == terms);
  }
}

TEST_CASE("DeBERTa without position vectors is content divided by the root of its terms", "[encodings]") {
  const auto encoding = build("scheme: deberta\n");
  encoding->to(at::kDouble);
  const auto q = draw({1, 4, 5, 8}, "q"), k = draw({1, 4, 5, 8}, "k");
  const auto out = encoding->adjust_logits(scaled_logits(q, k), q, k, {positions(5), positions(5), 0, nullptr});
  CHECK(largest_gap(out, scaled_logits(q, k) / std::sqrt(3.0)) < 1e-15);
}

TEST_CASE("DeBERTa options that contradict each other are refused", "[encodings]") {
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(config_error("scheme: deberta\nposition_buckets: 7\n"),
             ContainsSubstring("position.yaml:2:19: position_buckets: found 7; allowed: 0, or an even number"));
  CHECK_THAT(config_error("scheme: deberta\nposition_buckets: 2\n"), ContainsSubstring("4 or more"));
  CHECK_THAT(config_error("scheme: deberta\nposition_buckets: 256\nmax_relative_positions: 129\n"),
             ContainsSubstring("max_relative_positions: found 129; allowed: above 129"));
  CHECK(config_error("scheme: deberta\nposition_buckets: 256\nmax_relative_positions: 130\n").empty());
  CHECK_THAT(config_error("scheme: deberta\npos_att_type: [c2p, p2p]\n"),
             ContainsSubstring("pos_att_type: found 'p2p'; allowed: a list of c2p and p2c"));
  CHECK_THAT(config_error("scheme: deberta\npos_att_type: [c2p, c2p]\n"), ContainsSubstring("found 'c2p' twice"));
  CHECK_THAT(config_error("scheme: deberta\npos_att_type: []\n"), ContainsSubstring("found an empty list"));
}

}  // namespace lw::encoding_test
