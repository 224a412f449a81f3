// Statistics against numbers computed elsewhere by exact arithmetic.
#include <cmath>
#include <vector>

#include "reports/statistics/curve.h"
#include "reports/statistics/effective_length.h"
#include "reports/statistics/intervals.h"
#include "reports/statistics/multiplicity.h"
#include "reports/statistics/paired.h"
#include "reports/statistics/power.h"
#include "tests/catch.h"

namespace lw {
namespace {

using Catch::Approx;

void near(double found, double expected, double margin = 1.5e-6) { CHECK(found == Approx(expected).margin(margin)); }

TEST_CASE("wilson intervals match the table, at 0 and 1 too") {
  struct Row {
    int64_t k, n;
    double low, high;
  };
  const std::vector<Row> rows = {
      {0, 10, 0, 0.277533},           {1, 10, 0.017876, 0.404150},   {5, 10, 0.236593, 0.763407},
      {9, 10, 0.595850, 0.982124},    {10, 10, 0.722467, 1},         {7, 12, 0.319511, 0.806740},
      {0, 20, 0, 0.161125},           {17, 20, 0.639581, 0.947631},  {20, 20, 0.838875, 1},
      {90, 100, 0.825634, 0.944771},  {98, 100, 0.929988, 0.994498}, {100, 100, 0.963007, 1},
      {428, 500, 0.822510, 0.884062}, {0, 500, 0, 0.007624},         {500, 500, 0.992376, 1}};
  for (const auto& row : rows) {
    const Interval found = wilson_count(row.k, row.n);
    near(found.low, row.low);
    near(found.high, row.high);
  }
  near(wilson_count(0, 307).high, 0.012358);
  near(wilson_count(0, 123).high, 0.030286);
  near(wilson_count(0, 1324).high, 0.002893);
  near(wilson_count(0, 250).high, 0.015133);
}

TEST_CASE("one-sided wilson bounds") {
  const int64_t right[] = {100, 98, 90, 60, 20};
  const double low[] = {.973657, .941352, .839644, .517810, .142502};
  const double high[] = {1, .993359, .939281, .676922, .273304};
  for (int i = 0; i < 5; ++i) {
    const Interval found = wilson_count(right[i], 100, kZ95OneSided);
    near(found.low, low[i]);
    near(found.high, high[i]);
  }
  near(wilson_count(16, 16, kZ95OneSided).low, 0.8554, 5e-5);  // the fewest perfect scores that prove 0.85
  CHECK(wilson_count(15, 15, kZ95OneSided).low < 0.85);
}

TEST_CASE("half-widths of the normal interval, as planning tables print them") {
  const double n[] = {50, 100, 200, 500, 1000};
  const double half[] = {.139, .098, .069, .044, .031};
  const double half85[] = {.099, .070, .049, .031, .022};
  for (int i = 0; i < 5; ++i) {
    near(kZ95 * std::sqrt(0.25 / n[i]), half[i], 6e-4);
    near(kZ95 * std::sqrt(0.1275 / n[i]), half85[i], 6e-4);
  }
}

TEST_CASE("student t quantiles and the interval over seeds") {
  near(student_t_quantile(0.975, 2), 4.302652730, 1e-8);
  near(student_t_quantile(0.975, 1), 12.7062047362, 1e-8);
  near(student_t_quantile(0.975, 10), 2.2281388520, 1e-8);
  near(student_t_quantile(0.025, 10), -2.2281388520, 1e-8);
  near(student_t_quantile(0.975, 1e7), kZ95, 1e-5);
  const std::vector<double> seeds = {.62, .95, .88};
  const auto found = t_interval(seeds);
  REQUIRE(found);
  near(found->mean, .816667);
  near(found->sd, .173877);
  near(found->half, .431935);
  CHECK_FALSE(t_interval(std::vector<double>{.5}));
}

TEST_CASE("clustered standard error") {
  std::vector<Clustered> values;
  for (const double v : {1.0, 1.0, 1.0, 0.0}) values.push_back({v, 1, "first"});
  for (const double v : {0.0, 0.0, 0.0, 1.0}) values.push_back({v, 1, "second"});
  near(clustered_mean(values, false)->error, .176777);
  near(clustered_mean(values)->error, .25);
  CHECK(clustered_mean(values)->clusters == 2);
  for (auto& v : values) v.cluster = {};
  near(clustered_mean(values)->error, .188982);  // everyone for himself
  CHECK_FALSE(clustered_mean({}));
}

TEST_CASE("interval on mean nll, then exp of its ends") {
  std::vector<Clustered> values;
  for (const double v : {2.0, 2.5, 1.5, 3.0}) values.push_back({v, 1, {}});
  const auto mean = clustered_mean(values);
  near(mean->mean, 2.25);
  near(mean->error, .322749);
  near(std::exp(mean->mean), 9.4877, 5e-5);
  const auto normal = mean_interval(*mean, true);
  near(std::exp(normal->low), 5.0401, 5e-5);
  near(std::exp(normal->high), 17.8602, 5e-5);
  CHECK(mean_interval(*mean)->low < normal->low);  // four documents: t is wider
  values.resize(1);
  CHECK_FALSE(mean_interval(*clustered_mean(values)));
}

TEST_CASE("perplexity weighs windows by their tokens") {
  const std::vector<Clustered> windows = {{1.0, 8, {}}, {3.0, 2, {}}};
  near(std::exp(clustered_mean(windows)->mean), 4.0552, 5e-5);
}

TEST_CASE("effective size: alike clusters count nearer to their number, and more errors never raise the bound") {
  const auto pairs = [](int wrong_pairs, int split_pairs) {
    std::vector<Clustered> values;
    static const auto names = [] {
      std::vector<std::string> result;
      for (int i = 0; i < 64; ++i) result.push_back("pair" + std::to_string(i));
      return result;
    }();
    for (size_t i = 0; i < 64; ++i) {
      const bool wrong = static_cast<int>(i) < wrong_pairs,
                 split = !wrong && static_cast<int>(i) < wrong_pairs + split_pairs;
      values.push_back({wrong ? 0.0 : 1.0, 1, names[i]});
      values.push_back({wrong || split ? 0.0 : 1.0, 1, names[i]});
    }
    return values;
  };
  const auto low = [&](int wrong, int split) {
    const auto values = pairs(wrong, split);
    return wilson(clustered_mean(values)->mean, effective_size(values)).low;
  };
  CHECK(effective_size(pairs(0, 0)) < 80);     // near 64 pairs, not 128 probes
  CHECK(effective_size(pairs(0, 64)) == 128);  // one right in every pair: no excess likeness
  CHECK(low(0, 1) < low(0, 0));
  CHECK(low(1, 0) < low(0, 1));
  std::vector<Clustered> alone(50, Clustered{1, 1, {}});
  CHECK(effective_size(alone) == Approx(50));
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
    near(mcnemar_exact(row.b, row.c), row.exact);
    near(mcnemar_exact(row.c, row.b), row.exact);
  }
  near(mcnemar_exact(14, 4), .030884);
  CHECK(mcnemar_exact(0, 5000) >= 0);
  near(mcnemar_exact(60000, 60000), 1);
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
    near(row.counts.difference(), row.difference);
    near(tango(row.counts).low, row.low);
    near(tango(row.counts).high, row.high);
  }
}

TEST_CASE("tango at the edges stays inside -1 and 1 and is never of zero width") {
  const double reach = kZ95 * kZ95 / (20 + kZ95 * kZ95);  // no discordant pair: z^2 / (n + z^2)
  near(tango({20, 0, 0, 0}).low, -reach);
  near(tango({20, 0, 0, 0}).high, reach);
  CHECK(tango({0, 10, 0, 0}).high == 1);
  CHECK(tango({0, 10, 0, 0}).low < 0.8);
  CHECK(tango({0, 0, 10, 0}).low == -1);
  CHECK(tango({0, 0, 10, 0}).high > -0.8);
}

TEST_CASE("sign-flip permutation, exact up to 20") {
  near(sign_flip(std::vector<double>{1, 1, 1, 1, 1, 0, 0, -1}, Rng(1)), .21875);
  near(sign_flip(std::vector<double>{.3, .1, .4, .2, -.1, .5}, Rng(1)), .09375);
  near(sign_flip(std::vector<double>{1, 1, 1, 1, 1}, Rng(1)), .0625);
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
  near(found->p, .0625);  // five documents, not fifty windows
  near(found->mean.mean, 0.2);
}

TEST_CASE("holm, in the order of the input") {
  const auto check = [](const std::vector<double>& found, const std::vector<double>& expected) {
    REQUIRE(found.size() == expected.size());
    for (size_t i = 0; i < found.size(); ++i) near(found[i], expected[i]);
  };
  const std::vector<double> five = {.001, .012, .021, .030, .20};
  check(holm(five), {.005, .048, .063, .063, .20});
  const std::vector<double> eight = {.60, .04, .0005, .011, .011, .30, .02, .9};
  check(holm(eight), {1, .16, .004, .077, .077, .9, .1, 1});
  CHECK(holm({}).empty());
}

std::vector<ScoreAtLength> scores(const std::vector<int64_t>& right, int64_t n, int64_t shortest) {
  std::vector<ScoreAtLength> result;
  for (const int64_t k : right) {
    const Interval bounds = wilson_count(k, n, kZ95OneSided);
    result.push_back({shortest, bounds.low, static_cast<double>(k) / static_cast<double>(n), bounds.high});
    shortest *= 2;
  }
  return result;
}

TEST_CASE("effective length: proven, point and not refuted") {
  const auto track = scores({100, 98, 90, 60, 20}, 100, 256);
  const Reach found = reach(track, .85);
  CHECK(found.proven == 512);
  CHECK(found.point == 1024);
  CHECK(found.not_refuted == 1024);
  near(*log2_crossing(track, .85), 1149.40, 5e-3);
}

TEST_CASE("effective length needs every shorter length to hold") {
  CHECK(reach(scores({90, 80, 90}, 100, 1024), .85).point == 1024);
  const Reach none = reach(scores({80, 90}, 100, 1024), .85);
  CHECK_FALSE(none.point);
  CHECK(reach_text(none.point, 1024, 2048) == "< 1,024");
  CHECK(reach_text(2048, 1024, 2048) == ">= 2,048");
  CHECK(reach_text(1024, 1024, 2048) == "1,024");
  CHECK_FALSE(log2_crossing(scores({80, 70}, 100, 16), .85));
  CHECK_FALSE(log2_crossing(scores({100, 95}, 100, 16), .85));
}

TEST_CASE("crossing of a published curve") {
  const std::vector<ScoreAtLength> llama = {{32768, 0, .874, 0}, {65536, 0, .847, 0}};
  near(*log2_crossing(llama, .856) / 1024, 50.797, 5e-4);
}

TEST_CASE("area over log length, split at the training length") {
  const std::vector<CurvePoint> points = {{256, 1}, {512, .98}, {1024, .90}, {2048, .60}, {4096, .20}};
  near(*log2_area(points), .770);
  const SplitArea split = split_area(points, 1024);
  near(*split.in_length, (0.5 * (1 + .98) + 0.5 * (.98 + .90)) / 2);
  near(*split.beyond, .40);
  CHECK_FALSE(split_area(points, 128).in_length);
  CHECK(split_area(points, 2048).beyond == .20);  // one point is its own mean
  CHECK_FALSE(log2_area({}));
}

TEST_CASE("power: the difference found with 80 %") {
  const double n[] = {50, 100, 200, 500, 1000};
  const double unpaired[] = {.200, .142, .100, .063, .045}, paired[] = {.125, .089, .063, .040, .028};
  for (int i = 0; i < 5; ++i) {
    near(detectable_unpaired(.85, n[i]), unpaired[i], 6e-4);
    near(detectable_paired(.10, n[i]), paired[i], 6e-4);
  }
}

}  // namespace
}  // namespace lw
