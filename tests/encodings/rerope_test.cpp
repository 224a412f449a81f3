// ReRoPE and Leaky ReRoPE: distances that stop or slow down at a window.
#include "tests/encodings/effective_distance.h"

namespace lw::encoding_test {
namespace {

using Catch::Matchers::ContainsSubstring;

DistanceRule rerope_rule(double window) {
  return [=](int64_t i, int64_t j) { return std::min(double(i - j), window); };
}
DistanceRule leaky_rule(double window, double k) {
  return [=](int64_t i, int64_t j) {
    const auto distance = double(i - j);
    return distance < window ? distance : window + (distance - window) / k;
  };
}

}  // namespace

TEST_CASE("ReRoPE turns each pair by its distance or the window, whichever is less", "[encodings]") {
  for (const int64_t window : {1, 4, 16}) {
    INFO(window);
    const std::string yaml = "scheme: rerope\nwindow: " + std::to_string(window) + "\n";
    CHECK(worst_gap(effective_distances(yaml, 40, 16), distances_by(rerope_rule(double(window)), 40)) < 1e-9);
    CHECK(worst_gap_to_pairs(yaml, rerope_rule(double(window)), 40) < 1e-12);
  }
}

TEST_CASE("Leaky ReRoPE slows distances down beyond the window", "[encodings]") {
  for (const double k : {1.5, 3.0, 16.0}) {
    INFO(k);
    const std::string yaml = "scheme: leaky_rerope\nwindow: 5\nk: " + std::to_string(k) + "\n";
    CHECK(worst_gap(effective_distances(yaml, 40, 16), distances_by(leaky_rule(5, k), 40)) < 1e-9);
    CHECK(worst_gap_to_pairs(yaml, leaky_rule(5, k), 40) < 1e-12);
  }
}

TEST_CASE("ReRoPE within its window, and Leaky ReRoPE with k = 1, are RoPE", "[encodings]") {
  CHECK(worst_gap_to_rope("scheme: rerope\nwindow: 40\n", 40) < 1e-12);
  CHECK(worst_gap_to_rope("scheme: rerope\nwindow: 39\n", 40) < 1e-12);  // the largest distance is 39
  CHECK(worst_gap_to_rope("scheme: rerope\nwindow: 38\n", 40) > 1e-3);
  CHECK(worst_gap_to_rope("scheme: leaky_rerope\nwindow: 4\nk: 1\n", 40) < 1e-12);
  CHECK(worst_gap_to_rope("scheme: leaky_rerope\nwindow: 4\nk: 1.1\n", 40) > 1e-3);
  CHECK(worst_gap_to_rope("scheme: leaky_rerope\nwindow: 64\nk: 2\n", 40) < 1e-12);
}

// jquesnelle's copy has a table of max(T, window) rows and reads row `window`.
TEST_CASE("a window as long as the sequence reads no row past a table", "[encodings][fault]") {
  for (const int64_t length : {3, 4, 5})
    CHECK(worst_gap_to_pairs("scheme: rerope\nwindow: 4\n", rerope_rule(4), length) < 1e-12);
}

// The attention factor is on cosines and sines of both sides, the query factor on queries: once in each pass.
TEST_CASE("a scaling's attention factor enters near and far logits alike", "[encodings]") {
  const std::string scaling = "scaling: {rope_type: yarn, factor: 1, attention_factor: ";
  const auto logits = [&](const std::string& factor) {
    return logits_of(*build("scheme: rerope\nwindow: 4\n" + scaling + factor + "}\n"), 12);
  };
  CHECK(largest_gap(logits("1.5"), logits("1.0") * 2.25) < 1e-12);
}

TEST_CASE("a scaling that looks at the length makes the window schemes uncacheable", "[encodings]") {
  const std::string dynamic = "scaling: {rope_type: dynamic, factor: 2}\n";
  for (const std::string scheme : {"rerope", "leaky_rerope", "self_extend", "dca", "streaming"}) {
    INFO(scheme);
    CHECK(build("scheme: " + scheme + "\n")->key_cache() == KeyCache::kRaw);
    CHECK(build("scheme: " + scheme + "\n" + dynamic)->key_cache() == KeyCache::kNone);
  }
}

// Regions are replaced in place where no gradient is kept.
TEST_CASE("schemes that move positions give the same logits with and without gradients", "[encodings]") {
  for (const auto& setting : all_settings()) {
    auto encoding = build(setting.yaml);
    if (encoding->key_cache() != KeyCache::kRaw) continue;
    INFO(setting.name);
    const auto pos = positions(40);
    const auto q = draw({1, 4, 40, 8}, "q"), k = draw({1, 4, 40, 8}, "k");
    const auto logits = [&](const at::Tensor& queries) {
      const auto plain = at::matmul(queries, k.transpose(-1, -2)) / std::sqrt(8.0);
      return encoding->adjust_logits(plain, queries, k, {pos, pos, 0, nullptr});
    };
    const auto tracked_q = q.clone().requires_grad_(true);
    const auto tracked = logits(tracked_q);
    CHECK(at::equal(tracked.detach(), logits(q)));
    tracked.softmax(-1).square().sum().backward();
    CHECK(tracked_q.grad().isfinite().all().item<bool>());
    CHECK(tracked_q.grad().abs().sum().item<double>() > 0);
  }
}

TEST_CASE("ReRoPE's window is half the training length unless given", "[encodings]") {
  ModelShape shape = small_shape();
  const auto window = [&](const std::string& scheme, int64_t train_length) {
    shape.train_length = train_length;
    return fact_number(*build("scheme: " + scheme + "\n", shape), "window");
  };
  for (const std::string scheme : {"rerope", "leaky_rerope"}) {
    CHECK(window(scheme, 16) == 8);
    CHECK(window(scheme, 1) == 1);
    CHECK(window(scheme, 0) == 512);
  }
  CHECK(fact_number(*build("scheme: leaky_rerope\n"), "k") == 16);
}

TEST_CASE("the card says the largest distance and whether training had it", "[encodings]") {
  const auto flag = [](const PositionEncoding& encoding, int64_t length) {
    for (const auto& fact : encoding.facts(length))
      if (fact.name == "distances_seen_in_training") return fact.value;
    return std::string("no such fact");
  };
  for (const std::string yaml :
       {"scheme: rerope\nwindow: 4\n", "scheme: rerope\nwindow: 16\n", "scheme: leaky_rerope\nwindow: 5\nk: 3\n",
        "scheme: leaky_rerope\nwindow: 5\nk: 1\n"}) {
    INFO(yaml);
    const auto encoding = build(yaml);
    for (const int64_t length : {1, 4, 5, 6, 7, 16, 17, 40}) {
      const double largest = largest_of(effective_distances(yaml, length, 16));
      CHECK(fact_number(*encoding, "largest_distance", length) == Catch::Approx(largest).margin(1e-9));
      CHECK(flag(*encoding, length) == (largest < 16 - 1e-6 ? "true" : "false"));
    }
  }
  ModelShape unknown = small_shape();
  unknown.train_length = 0;
  CHECK(flag(*build("scheme: rerope\n", unknown), 40) == "no such fact");
}

TEST_CASE("window schemes refuse what cannot be", "[encodings]") {
  for (const std::string scheme : {"rerope", "leaky_rerope", "self_extend", "streaming"}) {
    INFO(scheme);
    const std::string head = "scheme: " + scheme + "\nwindow: ";
    CHECK_THAT(config_error(head + "0\n"), ContainsSubstring("position.yaml:2:9: window: found '0'; allowed: "));
    CHECK_THAT(config_error(head + "-4\n"), ContainsSubstring("position.yaml:2:9: window: found '-4'"));
    CHECK_THAT(config_error(head + "4.5\n"), ContainsSubstring("position.yaml:2:9: window: found '4.5'"));
    CHECK_THAT(config_error(head + "17\n"),
               ContainsSubstring("position.yaml:2:9: window: found 17; allowed: at most 16, the training length"));
    CHECK(config_error(head + "16\n").empty());
  }
  CHECK_THAT(config_error("scheme: leaky_rerope\nk: 0.5\n"), ContainsSubstring("position.yaml:2:4: k: found '0.5'"));
  CHECK_THAT(config_error("scheme: rerope\nk: 2\n"), ContainsSubstring("position.yaml:2:1: k: found an unknown key"));
}

TEST_CASE("schemes of causal distances refuse encoders", "[encodings]") {
  for (const std::string scheme : {"rerope", "leaky_rerope", "self_extend", "dca", "streaming", "xpos"})
    CHECK_THAT(
        config_error("scheme: " + scheme + "\n", small_shape(false)),
        ContainsSubstring("position.yaml:1:9: scheme: found '" + scheme + "' in an encoder; allowed: a decoder"));
}

}  // namespace lw::encoding_test
