// Statistics against numbers computed elsewhere by exact arithmetic.
#include <cmath>
#include <vector>

#include "reports/statistics/curve.h"
#include "reports/statistics/effective_length.h"
#include "reports/statistics/intervals.h"
#include "reports/statistics/multiplicity.h"
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

TEST_CASE("benjamini-hochberg, in the order of the input") {
  const auto check = [](const std::vector<double>& found, const std::vector<double>& expected) {
    REQUIRE(found.size() == expected.size());
    for (size_t i = 0; i < found.size(); ++i) near(found[i], expected[i]);
  };
  check(benjamini_hochberg(std::vector<double>{.001, .012, .021, .030, .20}), {.005, .030, .035, .0375, .20});
  check(benjamini_hochberg(std::vector<double>{.60, .04, .0005, .011, .011, .30, .02, .9}),
        {.685714, .064, .004, .029333, .029333, .4, .04, .9});
  CHECK(benjamini_hochberg({}).empty());
}

TEST_CASE("normal quantiles and the p value of student's t") {
  near(normal_quantile(.975), kZ95, 1e-12);
  near(normal_quantile(.95), kZ95OneSided, 1e-12);
  near(normal_quantile(.025), -kZ95, 1e-12);
  near(student_t_p(student_t_quantile(.975, 2), 2), .05, 1e-9);
  near(student_t_p(-2.645751, 5), .045659, 5e-6);
  near(student_t_p(0, 3), 1);
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
