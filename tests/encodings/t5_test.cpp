// T5 buckets against the peers' tables, read through the bias: each bucket's bias is set to its own number.
#include "tests/encodings/support.h"

namespace lw::encoding_test {
namespace {

std::shared_ptr<PositionEncoding> numbered_buckets(int64_t buckets, int64_t max_distance, bool causal) {
  ModelShape shape = small_shape();
  shape.causal = causal;
  auto encoding = build(
      "scheme: t5\nnum_buckets: " + std::to_string(buckets) + "\nmax_distance: " + std::to_string(max_distance) + "\n",
      shape);
  const at::NoGradGuard no_grad;
  auto table = encoding->parameters().front();
  table.copy_(at::arange(buckets).unsqueeze(1) + at::arange(4).unsqueeze(0) * 1000);  // head h adds 1000 h
  return encoding;
}

/// Buckets seen by `query` for keys 0 .. keys - 1, from head 0.
std::vector<int64_t> buckets_of(PositionEncoding& encoding, int64_t query, int64_t keys) {
  const at::NoGradGuard no_grad;
  const Site at{positions(1, query), positions(keys), 0, nullptr};
  const auto bias = encoding.adjust_logits(at::zeros({1, 4, 1, keys}), {}, {}, at);
  for (int64_t h = 0; h < 4; ++h) CHECK(at::equal(bias.select(1, h) - double(1000 * h), bias.select(1, 0)));
  const auto row = bias[0][0][0].to(at::kLong).contiguous();
  return {row.data_ptr<int64_t>(), row.data_ptr<int64_t>() + keys};
}

}  // namespace

TEST_CASE("T5 buckets from -300 to 300 equal the peers'", "[encodings][golden]") {
  const Json& want = goldens()["t5_bucket"];
  const auto check = [&](const std::string& key, int64_t buckets, int64_t max_distance, bool causal) {
    INFO(key);
    const auto encoding = numbered_buckets(buckets, max_distance, causal);
    CHECK(buckets_of(*encoding, 300, 601) == want.at(key).get<std::vector<int64_t>>());
  };
  check("32,128,bidirectional", 32, 128, false);
  check("32,128,causal", 32, 128, true);
  check("64,256,causal", 64, 256, true);
}

TEST_CASE("T5's last bucket begins where the peers' does", "[encodings][golden]") {
  for (const auto& edge : goldens()["t5_bucket"]["edges"]) {
    INFO(edge.dump());
    const bool causal = !edge["bidirectional"].get<bool>();
    const auto encoding =
        numbered_buckets(edge["num_buckets"].get<int64_t>(), edge["max_distance"].get<int64_t>(), causal);
    const int64_t first = edge["first_distance_of_last_bucket"].get<int64_t>();
    CHECK(fact_number(*encoding, "last_bucket_from_distance") == double(first));
    const auto row = buckets_of(*encoding, 5000, 5001);  // key 5000 - D stands at distance D
    CHECK(row[size_t(5000 - first)] == row.front());
    CHECK(row[size_t(5000 - first + 1)] != row.front());
  }
}

// Fault 50: the bias forgets how many keys are cached, or is dropped when decoding.
TEST_CASE("T5 buckets of one query after ten cached keys", "[encodings]") {
  const auto encoding = numbered_buckets(32, 128, true);
  CHECK(buckets_of(*encoding, 10, 11) == std::vector<int64_t>{10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
  // A step of a cached pass is a row of the full one.
  const at::NoGradGuard no_grad;
  const auto full =
      encoding->adjust_logits(at::zeros({1, 4, 300, 300}), {}, {}, {positions(300), positions(300), 0, nullptr});
  for (const int64_t query : {0, 1, 127, 128, 299}) {
    const auto step = encoding->adjust_logits(at::zeros({1, 4, 1, query + 1}), {}, {},
                                              {positions(1, query), positions(query + 1), 0, nullptr});
    CHECK(at::equal(step.select(2, 0), full.select(2, query).slice(-1, 0, query + 1)));
  }
}

TEST_CASE("T5 has a column of buckets for every head, whatever their number", "[encodings]") {
  for (int64_t heads = 1; heads <= 33; ++heads) {
    INFO(heads);
    ModelShape shape = small_shape();
    shape.heads = heads;
    const auto encoding = build_drawn("scheme: t5\n", shape);
    const at::NoGradGuard no_grad;
    const auto logits = at::zeros({1, heads, 1, 12}, at::kDouble);
    const auto row = encoding->adjust_logits(logits, {}, {}, {positions(1, 11), positions(12), 0, nullptr});
    const auto table_NH = encoding->parameters().front();
    CHECK(table_NH.sizes().vec() == std::vector<int64_t>{32, heads});
    CHECK(at::equal(row[0].squeeze(1).flip(-1), table_NH.narrow(0, 0, 12).t()));
  }
}

TEST_CASE("T5's bias is the same table for all layers and adds to the logits", "[encodings]") {
  const auto encoding = build_drawn("scheme: t5\n");
  CHECK(encoding->parameters().size() == 1);
  CHECK(encoding->parameters().front().numel() == 32 * 4);
  const auto logits = draw({2, 4, 9, 9}, "logits");
  const auto a = encoding->adjust_logits(logits, {}, {}, {positions(9), positions(9), 0, nullptr});
  const auto b = encoding->adjust_logits(logits, {}, {}, {positions(9), positions(9), 1, nullptr});
  CHECK(at::equal(a, b));
  const auto bias = encoding->adjust_logits(at::zeros_like(logits), {}, {}, {positions(9), positions(9), 0, nullptr});
  CHECK(largest_gap(a - logits, bias) < 1e-15);
}

TEST_CASE("every T5 bucket gets the gradient of the pairs that fall in it", "[encodings]") {
  auto encoding = build_drawn("scheme: t5\n");
  const int64_t length = 130;
  const auto weights = draw({1, 4, length, length}, "weights");
  const Site at{positions(length), positions(length), 0, nullptr};
  (encoding->adjust_logits(at::zeros({1, 4, length, length}, at::kDouble), {}, {}, at) * weights).sum().backward();

  const auto numbered = numbered_buckets(32, 128, true);
  const at::NoGradGuard no_grad;
  const auto bucket =
      numbered->adjust_logits(at::zeros({1, 4, length, length}), {}, {}, at)[0][0].to(at::kLong).flatten();
  const auto want = at::zeros({4, 32}, at::kDouble).index_add(1, bucket, weights[0].flatten(1)).t();
  CHECK(largest_gap(encoding->parameters().front().grad(), want) < 1e-10);
}

TEST_CASE("T5 options that leave no sane bucket are refused", "[encodings]") {
  ModelShape encoder = small_shape();
  encoder.causal = false;
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(config_error("scheme: t5\nnum_buckets: 31\n"),
             ContainsSubstring("num_buckets: found 31; allowed: an even number"));
  CHECK_THAT(config_error("scheme: t5\nnum_buckets: 0\n"), ContainsSubstring("num_buckets: found '0'"));
  CHECK_THAT(config_error("scheme: t5\nnum_buckets: 2\n", encoder), ContainsSubstring("num_buckets: found '2'"));
  CHECK(config_error("scheme: t5\nnum_buckets: 2\n").empty());
  CHECK(config_error("scheme: t5\nnum_buckets: 4\n", encoder).empty());
  CHECK_THAT(config_error("scheme: t5\nmax_distance: 16\n"),
             ContainsSubstring("max_distance: found 16; allowed: above 16"));
  CHECK(config_error("scheme: t5\nmax_distance: 17\n").empty());
  CHECK(config_error("scheme: t5\nmax_distance: 9\n", encoder).empty());
  CHECK_THAT(config_error("scheme: t5\nmax_distance: 8\n", encoder), ContainsSubstring("allowed: above 8"));
}

}  // namespace lw::encoding_test
