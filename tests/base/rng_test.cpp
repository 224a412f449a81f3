// The random numbers: known outputs, independent streams, unbiased draws.
#include "harness/base/rng.h"

#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "harness/base/error.h"
#include "tests/catch.h"

namespace lw::rng_test {

// Published for SplitMix64 with seed 1234567 (Rosetta Code, "Pseudo-random numbers/Splitmix64").
TEST_CASE("the generator is SplitMix64", "[rng]") {
  Rng rng(1234567);
  for (const uint64_t expected : {6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL,
                                  4593380528125082431ULL, 16408922859458223821ULL})
    CHECK(rng.next() == expected);
}

// Worked out apart from this code. Any change of the streams would change every probe and every set of weights.
TEST_CASE("child streams keep their values", "[rng]") {
  CHECK(Rng(0).stream("needle").next() == Rng(0).stream("needle").next());
  CHECK(Rng(0).stream("needle").next() == 7192917300503747436ULL);
  CHECK(Rng(0).stream(uint64_t{7}).next() == 18253903869471860491ULL);
  CHECK(Rng(1).stream("training").stream(uint64_t{3}).next() == 536975530758032204ULL);
}

TEST_CASE("a stream depends on its names, not on the order of calls", "[rng]") {
  const Rng parent(42);
  Rng a = parent.stream("a");
  const uint64_t first = a.next();
  for (int i = 0; i < 100; ++i) (void)parent.stream("b").next();
  Rng again = parent.stream("a");
  CHECK(again.next() == first);
  CHECK(again.next() == a.next());
}

TEST_CASE("different names, seeds and levels give different streams", "[rng]") {
  std::set<uint64_t> seen;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    seen.insert(Rng(seed).next());
    for (uint64_t label = 0; label < 30; ++label) seen.insert(Rng(seed).stream(label).next());
    for (const char* label : {"", "a", "b", "ab", "ba", "training", "eval", "gate"})
      seen.insert(Rng(seed).stream(label).next());
    seen.insert(Rng(seed).stream("a").stream("b").next());
    seen.insert(Rng(seed).stream("b").stream("a").next());
    seen.insert(Rng(seed).stream(uint64_t{40}).stream(uint64_t{41}).next());
    seen.insert(Rng(seed).stream(uint64_t{41}).stream(uint64_t{40}).next());
  }
  CHECK(seen.size() == 30 * (1 + 30 + 8 + 4));
}

TEST_CASE("below() stays inside and every value is as likely", "[rng]") {
  Rng rng(1);
  for (const int64_t n : {1, 2, 3, 7, 10}) {
    constexpr int64_t kDraws = 60000;
    std::vector<int64_t> counts(static_cast<size_t>(n));
    for (int64_t i = 0; i < kDraws; ++i) {
      const int64_t x = rng.below(n);
      REQUIRE((x >= 0 && x < n));
      ++counts[static_cast<size_t>(x)];
    }
    const double expected = double(kDraws) / double(n), sd = std::sqrt(expected * (1 - 1.0 / double(n)));
    for (const int64_t count : counts) CHECK(std::abs(double(count) - expected) <= 5 * sd);
  }
}

// 2^64 mod 3 * 2^61 is 2^62: without rejection the lowest third would come twice as often as it should.
TEST_CASE("below() has no bias towards small values at large bounds", "[rng]") {
  Rng rng(2);
  const int64_t bound = int64_t{3} << 61;
  constexpr int kDraws = 30000;
  int low = 0;
  for (int i = 0; i < kDraws; ++i) low += rng.below(bound) < bound / 3;
  CHECK(std::abs(low - kDraws / 3.0) < 5 * std::sqrt(kDraws * 2.0 / 9.0));
  CHECK_THROWS_AS(rng.below(0), Error);
}

TEST_CASE("uniform() and normal() have their moments", "[rng]") {
  Rng rng(3);
  constexpr int kDraws = 100000;
  double sum = 0, normal_sum = 0, squares = 0, fourth = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double u = rng.uniform();
    REQUIRE((u >= 0 && u < 1));
    sum += u;
    const double z = rng.normal();
    normal_sum += z;
    squares += z * z;
    fourth += z * z * z * z;
  }
  const double root = std::sqrt(double(kDraws));
  CHECK(std::abs(sum / kDraws - 0.5) < 5 * std::sqrt(1.0 / 12) / root);
  CHECK(std::abs(normal_sum / kDraws) < 5 / root);
  CHECK(std::abs(squares / kDraws - 1) < 5 * std::sqrt(2.0) / root);
  CHECK(std::abs(fourth / kDraws - 3) < 5 * std::sqrt(96.0) / root);
}

TEST_CASE("normal() takes two draws", "[rng]") {
  Rng a(9), b(9);
  (void)a.normal();
  (void)b.next();
  (void)b.next();
  CHECK(a.next() == b.next());
}

TEST_CASE("distinct() and shuffle() permute", "[rng]") {
  Rng rng(4);
  for (int round = 0; round < 200; ++round) {
    const int64_t n = 1 + rng.below(20), count = rng.below(n + 1);
    const auto drawn = rng.distinct(count, n);
    CHECK(drawn.size() == static_cast<size_t>(count));
    CHECK(std::set<int64_t>(drawn.begin(), drawn.end()).size() == drawn.size());
    for (const int64_t x : drawn) CHECK((x >= 0 && x < n));
  }
  CHECK(rng.distinct(0, 0).empty());
  CHECK_THROWS_AS(rng.distinct(3, 2), Error);
  // Each of the 6 orders of 3 is as likely.
  std::map<std::vector<int64_t>, int> by_distinct, by_shuffle;
  for (int i = 0; i < 12000; ++i) {
    ++by_distinct[rng.distinct(3, 3)];
    std::vector<int64_t> items = {0, 1, 2};
    rng.shuffle(items);
    ++by_shuffle[items];
  }
  for (const auto& counts : {by_distinct, by_shuffle}) {
    REQUIRE(counts.size() == 6);
    for (const auto& [order, count] : counts) CHECK(std::abs(count - 2000.0) < 5 * std::sqrt(12000.0 * 5 / 36));
  }
}

}  // namespace lw::rng_test
