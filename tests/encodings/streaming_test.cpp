// Attention sinks against a cache that throws keys away and numbers the rest anew.
#include "tests/encodings/effective_distance.h"

namespace lw::encoding_test {
namespace {

using Catch::Matchers::ContainsSubstring;

struct Kept {
  int64_t sinks, window;
  std::string yaml(const std::string& more = "") const {
    return "scheme: streaming\nsinks: " + std::to_string(sinks) + "\nwindow: " + std::to_string(window) + "\n" + more;
  }
  bool sees(int64_t i, int64_t j) const { return j < sinks || i - j < window; }
};

struct Tokens {
  int64_t length = 40;
  at::Tensor q = draw({1, 2, length, 8}, "q"), k = draw({1, 2, length, 8}, "k"), v = draw({1, 2, length, 8}, "v");
};

at::Tensor attend_all(PositionEncoding& encoding, const Tokens& t) {
  const auto pos = positions(t.length);
  const Site at{pos, pos, 0, nullptr};
  const auto q = encoding.rotate_query(t.q, at), k = encoding.rotate_key(t.k, at);
  const auto plain = at::matmul(q, k.transpose(-1, -2)) / std::sqrt(8.0);
  const auto ahead = (pos.unsqueeze(-2) > pos.unsqueeze(-1)).unsqueeze(1);
  const auto logits = encoding.adjust_logits(plain, q, k, at).masked_fill(ahead, -INFINITY);
  return at::matmul(logits.softmax(-1), t.v);
}

/// Token by token with plain RoPE: evict, append, number what is kept 0, 1, ... and attend from the last place.
at::Tensor attend_evicting(const Kept& kept, const Tokens& t) {
  const auto rope = build("scheme: rope\n");
  std::vector<int64_t> cache;
  std::vector<at::Tensor> out;
  for (int64_t i = 0; i < t.length; ++i) {
    if (int64_t(cache.size()) == kept.sinks + kept.window) cache.erase(cache.begin() + kept.sinks);
    cache.push_back(i);
    const auto chosen = at::tensor(cache, at::kLong);
    const auto places = positions(int64_t(cache.size())), last = positions(1, int64_t(cache.size()) - 1);
    const auto q = rope->rotate_query(t.q.narrow(2, i, 1), {last, places, 0, nullptr});
    const auto k = rope->rotate_key(t.k.index_select(2, chosen), {places, places, 0, nullptr});
    const auto weights = (at::matmul(q, k.transpose(-1, -2)) / std::sqrt(8.0)).softmax(-1);
    out.push_back(at::matmul(weights, t.v.index_select(2, chosen)));
  }
  return at::cat(out, 2);
}

}  // namespace

TEST_CASE("attention sinks equal a cache that evicts and renumbers", "[encodings]") {
  const Tokens tokens;
  for (const Kept kept : {Kept{4, 8}, Kept{1, 1}, Kept{2, 16}, Kept{0, 5}, Kept{30, 5}}) {
    INFO(kept.sinks << " " << kept.window);
    CHECK(largest_gap(attend_all(*build(kept.yaml()), tokens), attend_evicting(kept, tokens)) < 1e-12);
  }
}

TEST_CASE("attention sinks equal their rules pair by pair, and hide the rest", "[encodings]") {
  const Kept kept{2, 6};
  const auto q = draw({1, 2, 40, 8}, "q"), k = draw({1, 2, 40, 8}, "k");
  const DistanceRule renumbered = [&](int64_t i, int64_t j) {
    return double(i - j < kept.window ? i - j : std::min(i, kept.sinks + kept.window - 1) - j);
  };
  const auto check = [&](const std::string& more, const DistanceRule& rule) {
    const auto encoding = build(kept.yaml(more));
    const auto got = logits_of(*encoding, 40);
    double largest = 0;
    for (int64_t i = 0; i < 40; ++i)
      for (int64_t j = 0; j <= i; ++j) {
        const double logit = got[0][1][i][j].item<double>();
        if (!kept.sees(i, j)) {
          CHECK(logit == -std::numeric_limits<double>::infinity());
          continue;
        }
        CHECK(std::abs(logit - turned_product(q[0][1][i], k[0][1][j], rule(i, j), false)) < 1e-12);
        largest = std::max(largest, rule(i, j));
        if (j == i) CHECK(fact_number(*encoding, "largest_distance", i + 1) == largest);
      }
    CHECK(fact_number(*encoding, "keys_seen", 5) == 5);
    CHECK(fact_number(*encoding, "keys_seen", 40) == 8);
  };
  check("", renumbered);
  for (const int64_t limit : {1, 4, 6, 10}) {  // below, at and beyond the window
    INFO(limit);
    check("numbering: lm_infinite\ndistance_limit: " + std::to_string(limit) + "\n",
          [&](int64_t i, int64_t j) { return double(std::min(i - j, limit)); });
  }
}

TEST_CASE("a window over the whole sequence is RoPE", "[encodings]") {
  for (const std::string more : {"", "numbering: lm_infinite\n"}) {
    CHECK(worst_gap_to_rope(Kept{4, 40}.yaml(more), 40) < 1e-12);
    CHECK(worst_gap_to_rope(Kept{0, 40}.yaml(more), 40) < 1e-12);
    CHECK(std::isinf(worst_gap_to_rope(Kept{4, 35}.yaml(more), 40)));  // one key is hidden
  }
}

TEST_CASE("sinks stand at fixed positions, a window alone does not", "[encodings]") {
  CHECK_FALSE(build(Kept{4, 4}.yaml())->shift_invariant());
  CHECK(build(Kept{0, 4}.yaml())->shift_invariant());
}

TEST_CASE("hidden keys send no gradient and leave none that is not a number", "[encodings]") {
  Tokens tokens;
  tokens.q.requires_grad_(true);
  tokens.k.requires_grad_(true);
  const auto out = attend_all(*build(Kept{2, 4}.yaml()), tokens);
  out.narrow(2, 39, 1).sum().backward();
  CHECK(tokens.q.grad().isfinite().all().item<bool>());
  const auto by_key = tokens.k.grad().abs().sum({0, 1, 3});
  for (int64_t j = 0; j < 40; ++j) CHECK((by_key[j].item<double>() > 0) == (Kept{2, 4}.sees(39, j)));
}

TEST_CASE("sinks and windows fit the training length unless given", "[encodings]") {
  const auto usual = build("scheme: streaming\n");
  CHECK(fact_number(*usual, "sinks") == 4);
  CHECK(fact_number(*usual, "window") == 12);
  CHECK(fact_number(*usual, "largest_distance", 1000) == 15);  // no distance that training did not have
  CHECK(fact_number(*build("scheme: streaming\nsinks: 20\n"), "window") == 1);
  ModelShape unknown = small_shape();
  unknown.train_length = 0;
  CHECK(fact_number(*build("scheme: streaming\n", unknown), "window") == 512);
  const auto infinite = build("scheme: streaming\nnumbering: lm_infinite\n");
  CHECK(fact_number(*infinite, "distance_limit") == 12);
  CHECK_THAT(config_error("scheme: streaming\nsinks: -1\n"), ContainsSubstring("position.yaml:2:8: sinks: found '-1'"));
  CHECK_THAT(config_error("scheme: streaming\ndistance_limit: 4\n"),
             ContainsSubstring("distance_limit: found an unknown key"));
  CHECK_THAT(config_error("scheme: streaming\nnumbering: lm_infinite\ndistance_limit: 0\n"),
             ContainsSubstring("position.yaml:3:17: distance_limit: found '0'"));
  CHECK_THAT(config_error("scheme: streaming\nnumbering: absolute\n"),
             ContainsSubstring("numbering: found 'absolute'; allowed: streaming_llm, lm_infinite"));
}

}  // namespace lw::encoding_test
