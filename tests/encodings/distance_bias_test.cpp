// The one path of all biases of distance alone, against the bias looked up pair by pair.
#include "encodings/parts/distance_bias.h"

#include "tests/encodings/bias_support.h"

namespace lw::encoding_test {
namespace {

struct Call {
  std::string name;
  at::Tensor query_pos_BQ, key_pos_BK;
};

/// Full, tiled, cached, padded, packed, scattered, and too far apart for a table of distances.
std::vector<Call> calls() {
  const auto rows = [](std::vector<int64_t> first, std::vector<int64_t> second) {
    return at::stack({at::tensor(first, at::kLong), at::tensor(second, at::kLong)});
  };
  const auto padded = rows({-1, -1, 0, 1, 2, 3, 4}, {0, 1, 2, 3, 4, 5, 6});
  const auto scattered = row_tensor({{3, 9, 17, 18, 40, 41, 77}});
  return {{"full", positions(40), positions(40)},
          {"a tile", positions(5, 20), positions(40)},
          {"one query after cached keys", positions(1, 39), positions(40)},
          {"a segment after another", positions(8, 100), positions(30, 78)},
          {"left padding", padded, padded},
          {"one position row for two of logits", positions(7), positions(7)},
          {"packed", at::cat({positions(5), positions(9)}, 1), at::cat({positions(5), positions(9)}, 1)},
          {"evaluated queries", rows({6, 0}, {3, 3}), positions(7).expand({2, 7})},
          {"scattered", scattered, scattered},
          {"far apart", row_tensor({{5, 1'000'003}}), positions(6)}};
}

at::Tensor pair_by_pair(const PositionEncoding& encoding, const at::Tensor& logits, const Call& call) {
  const auto ahead_BQK = call.key_pos_BK.unsqueeze(-2) - call.query_pos_BQ.unsqueeze(-1);
  const auto bias_HP = encoding.bias_by_distance(ahead_BQK.flatten()).to(logits.scalar_type());
  return logits + bias_HP.view({bias_HP.size(0), -1, logits.size(2), logits.size(3)}).transpose(0, 1);
}

at::Tensor logits_for(const Call& call, const std::string& name = "logits") {
  return draw({call.name == "one position row for two of logits" ? 2 : call.key_pos_BK.size(0), 4,
               call.query_pos_BQ.size(1), call.key_pos_BK.size(1)},
              name);
}

/// -distance for every head; counts how often and for how many distances it is asked.
class Counting final : public PositionEncoding {
 public:
  at::Tensor bias_by_distance(const at::Tensor& ahead_N) const override {
    ++asked;
    distances += ahead_N.numel();
    return -ahead_N.abs().to(at::kDouble).expand({4, -1});
  }
  bool shift_invariant() const override { return true; }
  mutable int64_t asked = 0, distances = 0;
};

}  // namespace

TEST_CASE("a bias of distance is added as it is declared, however the call is cut", "[encodings]") {
  int schemes = 0;
  for (const auto& setting : all_settings()) {
    for (const bool causal : {true, false}) {
      if (!causal && !setting.works_on_encoders()) continue;
      INFO(setting.name << (causal ? " decoder" : " encoder"));
      const auto encoding = build_drawn(setting.yaml, small_shape(causal));
      if (!encoding->bias_by_distance(positions(3)[0]).defined()) continue;
      ++schemes;
      for (const auto& call : calls()) {
        INFO(call.name);
        const auto logits = logits_for(call);
        const auto got = encoding->adjust_logits(logits, {}, {}, {call.query_pos_BQ, call.key_pos_BK, 0, nullptr});
        // A power may differ in the last bit between a vector of distances and a single one.
        CHECK(largest_gap(got, pair_by_pair(*encoding, logits, call)) <=
              (setting.name == "kerple power" ? 1e-15 * got.abs().max().item<double>() : 0));
        const auto narrow =
            encoding->adjust_logits(logits.to(at::kBFloat16), {}, {}, {call.query_pos_BQ, call.key_pos_BK, 0, nullptr});
        CHECK(narrow.scalar_type() == at::kFloat);
        const auto exact = pair_by_pair(*encoding, logits.to(at::kBFloat16).to(at::kDouble), call);
        CHECK(((narrow.to(at::kDouble) - exact).abs() <= 2e-7 * (exact.abs() + 4)).all().item<bool>());
      }
    }
  }
  CHECK(schemes >= 10);  // alibi, kerple twice, sandwich twice, t5; decoder and encoder
}

TEST_CASE("gradients of a bias of distance are those of the pairs", "[encodings]") {
  for (const char* yaml :
       {"scheme: t5\nnum_buckets: 8\nmax_distance: 20\n", "scheme: kerple\n", "scheme: kerple\nkind: power\n"}) {
    INFO(yaml);
    for (const auto& call : calls()) {
      INFO(call.name);
      std::vector<std::vector<at::Tensor>> grads;
      for (const bool by_pairs : {false, true}) {
        const auto encoding = build_drawn(yaml);
        auto logits = logits_for(call).requires_grad_(true);
        const auto out =
            by_pairs ? pair_by_pair(*encoding, logits, call)
                     : encoding->adjust_logits(logits, {}, {}, {call.query_pos_BQ, call.key_pos_BK, 0, nullptr});
        (out * logits_for(call, "direction")).sum().backward();
        grads.push_back({logits.grad()});
        for (const auto& parameter : encoding->parameters()) grads.back().push_back(parameter.grad());
      }
      for (size_t i = 0; i < grads[0].size(); ++i) {
        REQUIRE(grads[0][i].defined());
        const double size = grads[1][i].abs().max().item<double>();
        CHECK(largest_gap(grads[0][i], grads[1][i]) <= 1e-12 * (1 + size));
      }
    }
  }
}

TEST_CASE("an expanded gradient, as sum() gives it, is summed like any other", "[encodings]") {
  const auto encoding = build_drawn("scheme: t5\n");
  bias_of(*encoding, 4, positions(30), positions(30)).sum().backward();
  const auto grad_NH = encoding->parameters().front().grad();
  CHECK(grad_NH.sum().item<double>() == 4 * 30 * 30);
  CHECK(grad_NH[1][2].item<double>() == 29);  // pairs one token apart
}

TEST_CASE("a call large enough for several threads gives what pairs give, values and gradients", "[encodings]") {
  const Call call{"large", positions(600, 7), positions(900)};
  auto encoding = build_drawn("scheme: t5\n");
  const auto logits = draw({1, 4, 600, 900}, "large");
  const auto weights = draw({1, 4, 600, 900}, "weights");
  const auto got = encoding->adjust_logits(logits, {}, {}, {call.query_pos_BQ, call.key_pos_BK, 0, nullptr});
  CHECK(at::equal(got, pair_by_pair(*encoding, logits, call)));
  (got * weights).sum().backward();
  const auto grad = encoding->parameters().front().grad().clone();
  encoding->zero_grad();
  (pair_by_pair(*encoding, logits, call) * weights).sum().backward();
  CHECK(largest_gap(grad, encoding->parameters().front().grad()) < 1e-9);
}

TEST_CASE("a bias of distance is evaluated once per distance, and once for all layers of a pass", "[encodings]") {
  const Counting encoding;
  const auto pos = positions(50);
  PassMemo memo;
  const auto logits = at::zeros({2, 4, 50, 50});
  for (int64_t layer = 0; layer < 3; ++layer) add_distance_bias(encoding, logits, {pos, pos, layer, &memo});
  CHECK(encoding.asked == 1);
  CHECK(encoding.distances == 99);  // -49 .. 49, not 2500 pairs
  add_distance_bias(encoding, logits.to(at::kDouble), {pos, pos, 0, &memo});
  CHECK(encoding.asked == 2);  // a table of each type
  {
    const at::NoGradGuard no_grad;
    add_distance_bias(encoding, logits, {pos, pos, 0, &memo});
    CHECK(encoding.asked == 3);  // and none without a gradient where one is wanted
  }
  const Counting far;
  const auto pair = row_tensor({{0, 1'000'000'000}});
  const auto out = add_distance_bias(far, at::zeros({1, 4, 2, 2}, at::kDouble), {pair, pair, 0, nullptr});
  CHECK(far.distances == 4);  // not 2'000'000'001
  CHECK(out[0][3][1][0].item<double>() == -1e9);
}

TEST_CASE("no queries or no keys give no logits", "[encodings]") {
  const Counting encoding;
  const auto none = at::zeros({1, 0}, at::kLong);
  for (const auto& [queries, keys] : {std::pair{none, positions(3)}, std::pair{positions(3), none}})
    CHECK(add_distance_bias(encoding, at::zeros({1, 4, queries.size(1), keys.size(1)}), {queries, keys, 0, nullptr})
              .numel() == 0);
  CHECK(encoding.asked == 0);
}

TEST_CASE("logits that are not laid out in order are read in order", "[encodings]") {
  const auto encoding = build_drawn("scheme: alibi\n");
  const auto logits = draw({2, 9, 4, 9}, "strided").permute({0, 2, 3, 1});
  const Call call{"strided", positions(9), positions(9)};
  CHECK(at::equal(encoding->adjust_logits(logits, {}, {}, {call.query_pos_BQ, call.key_pos_BK, 0, nullptr}),
                  pair_by_pair(*encoding, logits, call)));
}

}  // namespace lw::encoding_test
