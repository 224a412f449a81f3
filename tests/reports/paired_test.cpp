// Paired statistics against numbers computed elsewhere by exact arithmetic.
#include "reports/statistics/paired.h"

#include <vector>

#include "reports/statistics/intervals.h"
#include "tests/catch.h"

namespace lw {
namespace {

using Catch::Approx;

void close_to(double found, double expected, double margin = 1.5e-6) {
  CHECK(found == Approx(expected).margin(margin));
}

TEST_CASE("mcnemar exact") {
  struct Row {
    int64_t b, c;
    double exact;
  };
  const std::vector<Row> rows = {{0, 0, 1},        {5, 0, .0625},    {6, 0, .03125},
                                 {1, 9, .021484},  {2, 10, .038574}, {3, 12, .035156},
                                 {5, 15, .041389}, {8, 24, .007000}, {10, 10, 1}};
  for (const auto& row : rows) {
    close_to(mcnemar_exact(row.b, row.c), row.exact);
    close_to(mcnemar_exact(row.c, row.b), row.exact);
  }
  close_to(mcnemar_exact(14, 4), .030884);
  CHECK(mcnemar_exact(0, 5000) >= 0);
  close_to(mcnemar_exact(60000, 60000), 1);
  for (int64_t n = 0; n < 6; ++n) CHECK(mcnemar_exact(n, 0) > 0.05);  // five discordant pairs prove nothing
}

TEST_CASE("intervals for the paired difference") {
  struct Row {
    PairedCounts counts;
    double difference, low, high;
  };
  const std::vector<Row> rows = {{{136, 14, 4, 46}, .05, .009393, .097051},
                                 {{43, 12, 3, 42}, .09, .015977, .173743},
                                 {{14, 10, 2, 4}, .266667, .045604, .468466},
                                 {{1, 1, 7, 12}, -.285714, -.517232, -.026003}};
  for (const auto& row : rows) {
    close_to(row.counts.difference(), row.difference);
    close_to(tango(row.counts).low, row.low);
    close_to(tango(row.counts).high, row.high);
  }
}

TEST_CASE("tango at the edges stays inside -1 and 1 and is never of zero width") {
  const double reach = kZ95 * kZ95 / (20 + kZ95 * kZ95);  // no discordant pair: z^2 / (n + z^2)
  close_to(tango({20, 0, 0, 0}).low, -reach);
  close_to(tango({20, 0, 0, 0}).high, reach);
  CHECK(tango({0, 10, 0, 0}).high == 1);
  CHECK(tango({0, 10, 0, 0}).low < 0.8);
  CHECK(tango({0, 0, 10, 0}).low == -1);
  CHECK(tango({0, 0, 10, 0}).high > -0.8);
}

TEST_CASE("sign-flip permutation, exact up to 20") {
  close_to(sign_flip(std::vector<double>{1, 1, 1, 1, 1, 0, 0, -1}, Rng(1)), .21875);
  close_to(sign_flip(std::vector<double>{.3, .1, .4, .2, -.1, .5}, Rng(1)), .09375);
  close_to(sign_flip(std::vector<double>{1, 1, 1, 1, 1}, Rng(1)), .0625);
  CHECK(sign_flip(std::vector<double>{}, Rng(1)) == 1);
  CHECK(sign_flip(std::vector<double>(30, 0.0), Rng(1)) == 1);
}

TEST_CASE("sign-flip by random draws is never 0 and near the exact value") {
  CHECK(sign_flip(std::vector<double>(60, 1.0), Rng(3), 999) == Approx(1.0 / 1000));
  std::vector<double> values;
  for (int i = 0; i < 20; ++i) values.push_back(i % 3 == 0 ? -1.0 - 0.01 * i : 1.0 + 0.02 * i);
  const double exact = sign_flip(values, Rng(0));
  values.push_back(0);  // 21 values: drawn, with the same distribution
  CHECK(sign_flip(values, Rng(5), 20000) == Approx(exact).margin(0.01));
  CHECK(sign_flip(values, Rng(5), 500) == sign_flip(values, Rng(5), 500));
}

TEST_CASE("paired mean flips whole clusters") {
  std::vector<Clustered> values;
  for (const char* name : {"a", "b", "c", "d", "e"})
    for (int i = 0; i < 10; ++i) values.push_back({0.2, 1, name});
  const auto found = paired_mean(values, Rng(0));
  REQUIRE(found);
  close_to(found->p, .0625);  // five documents, not fifty windows
  close_to(found->mean.mean, 0.2);
}

TEST_CASE("sign flips of clusters are exact, and McNemar's where each probe stands alone") {
  const auto sums = [](int b, int c, int ties) {
    std::vector<int64_t> values(size_t(b), 1);
    values.insert(values.end(), size_t(c), -1);
    values.insert(values.end(), size_t(ties), 0);
    return values;
  };
  close_to(sign_flip_counts(sums(14, 4, 100)), mcnemar_exact(14, 4));
  close_to(sign_flip_counts(sums(8, 24, 0)), mcnemar_exact(8, 24));
  close_to(sign_flip_counts(sums(1, 9, 0)), .021484);
  CHECK(sign_flip_counts({}) == 1);
  close_to(sign_flip_counts(std::vector<int64_t>{2, 2, 2, 2, 2}), .0625);  // five pairs, not ten probes
  close_to(sign_flip_counts(std::vector<int64_t>{3, 1, 4, 2, -1, 5}), .09375);
  close_to(sign_flip_counts(sums(2100, 1950, 0)), mcnemar_exact(2100, 1950), 2e-3);  // normal
}

TEST_CASE("clusters widen the paired interval; alone they leave it as it is") {
  close_to(tango(14, 4, 200).low, tango({136, 14, 4, 46}).low);
  std::vector<Clustered> alone(50, Clustered{0, 1, {}}), pairs;
  for (int i = 0; i < 50; ++i) pairs.push_back({0, 1, i % 2 == 0 ? "even" : "odd"});
  CHECK(effective_size(alone, -1, 1) == 50);
  close_to(effective_size(pairs, -1, 1), 2);
}

}  // namespace
}  // namespace lw
