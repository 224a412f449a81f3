// Self-Extend against LongLM's distances, and pair by pair.
#include "tests/encodings/effective_distance.h"

namespace lw::encoding_test {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string self_extend(int64_t group_size, int64_t window, const std::string& more = "") {
  return "scheme: self_extend\ngroup_size: " + std::to_string(group_size) + "\nwindow: " + std::to_string(window) +
         "\n" + more;
}

DistanceRule rule_of(int64_t group_size, int64_t window, bool whole = false) {
  return [=](int64_t i, int64_t j) {
    if (i - j < window) return double(i - j);
    const double meet = whole ? double(window / group_size) : double(window) / double(group_size);
    return double(i / group_size - j / group_size) + double(window) - meet;
  };
}

}  // namespace

TEST_CASE("Self-Extend's distances equal LongLM's", "[encodings][golden]") {
  const Json& golden = goldens()["grouped"]["self_extend"];
  const auto whole = golden["L=16,G=4,w=4 lower triangle rows"].get<Matrix>();
  const auto fractional = golden["L=12,G=3,w=4 rows (w/G not an integer)"].get<Matrix>();
  REQUIRE(whole.size() == 16);
  REQUIRE(fractional.size() == 12);
  CHECK(worst_gap(effective_distances(self_extend(4, 4), 16, 16), whole) < 1e-9);
  CHECK(worst_gap(effective_distances(self_extend(3, 4), 12, 16), fractional) < 1e-9);  // the golden has 9 decimals
  const auto older = effective_distances(self_extend(3, 4, "window_shift: whole\n"), 12, 16);
  CHECK(worst_gap(older, distances_by(rule_of(3, 4, true), 12)) < 1e-9);
  CHECK(worst_gap(older, fractional) > 0.3);
}

TEST_CASE("Self-Extend equals its rule pair by pair", "[encodings]") {
  for (const auto& [group_size, window] : std::vector<std::pair<int64_t, int64_t>>{{2, 3}, {3, 5}, {8, 8}, {40, 16}}) {
    INFO(group_size << " " << window);
    CHECK(worst_gap_to_pairs(self_extend(group_size, window), rule_of(group_size, window), 40) < 1e-12);
    CHECK(worst_gap_to_pairs(self_extend(group_size, window, "window_shift: whole\n"),
                             rule_of(group_size, window, true), 40) < 1e-12);
  }
}

TEST_CASE("Self-Extend in groups of one, or within its window, is RoPE", "[encodings]") {
  CHECK(worst_gap_to_rope(self_extend(1, 4), 40) < 1e-12);
  CHECK(worst_gap_to_rope(self_extend(1, 4, "window_shift: whole\n"), 40) < 1e-12);
  CHECK(worst_gap_to_rope(self_extend(8, 40), 40) < 1e-12);
  CHECK(worst_gap_to_rope(self_extend(8, 39), 40) > 1e-3);
  CHECK(build(self_extend(1, 4))->shift_invariant());
  CHECK_FALSE(build(self_extend(2, 4))->shift_invariant());
}

TEST_CASE("Self-Extend's card says the largest distance", "[encodings]") {
  for (const std::string& yaml : {self_extend(3, 5), self_extend(3, 5, "window_shift: whole\n"), self_extend(40, 16)}) {
    INFO(yaml);
    const auto encoding = build(yaml);
    for (const int64_t length : {1, 5, 6, 7, 17, 40})
      CHECK(fact_number(*encoding, "largest_distance", length) ==
            Catch::Approx(largest_of(effective_distances(yaml, length, 16))).margin(1e-9));
  }
  // The usual bound: (L - w) G + w tokens.
  ModelShape shape = small_shape();
  shape.train_length = 4096;
  const auto usual = build(self_extend(8, 1024), shape);
  CHECK(fact_number(*usual, "largest_distance", (4096 - 1024) * 8 + 1024) == 4095);
}

TEST_CASE("Self-Extend's options are checked, and its window fits the training length", "[encodings]") {
  CHECK_THAT(config_error("scheme: self_extend\ngroup_size: 0\n"),
             ContainsSubstring("position.yaml:2:13: group_size: found '0'; allowed: a whole number"));
  CHECK_THAT(config_error("scheme: self_extend\ngroup_size: 2.5\n"), ContainsSubstring("group_size: found '2.5'"));
  CHECK_THAT(config_error("scheme: self_extend\nwindow_shift: floor\n"),
             ContainsSubstring("window_shift: found 'floor'; allowed: fractional, whole"));
  ModelShape shape = small_shape();
  const auto window = [&](int64_t train_length) {
    shape.train_length = train_length;
    return fact_number(*build("scheme: self_extend\n", shape), "window");
  };
  CHECK(window(16) == 8);
  CHECK(window(4096) == 1024);
  CHECK(window(0) == 1024);
  CHECK(fact_number(*build("scheme: self_extend\n"), "group_size") == 8);
}

}  // namespace lw::encoding_test
