// Statistics: intervals, paired tests and corrections, compared with values that were worked out by exact arithmetic.
#include <cmath>
#include <limits>

#include "harness/selfcheck/check.h"
#include "harness/selfcheck/oracle.h"

namespace lw {
namespace {

struct WilsonCase {
  int64_t right, of;
  double low, high;
};

struct McNemarCase {
  int64_t b, c;
  double p;
};

struct TangoCase {
  PairedCounts counts;
  double low, high;
};

void add_list(const std::string& name, const std::vector<double>& computed, const std::vector<double>& known,
              std::vector<Oracle>& out) {
  for (size_t i = 0; i < known.size(); ++i)
    out.push_back({name + ", p " + std::to_string(i + 1),
                   i < computed.size() ? computed[i] : std::numeric_limits<double>::quiet_NaN(), known[i]});
}

Finding check_intervals(std::span<const Subject>) { return compare_oracles(interval_oracles(), kOracleBound); }
Finding check_paired(std::span<const Subject>) { return compare_oracles(paired_oracles(), kOracleBound); }
Finding check_adjusted(std::span<const Subject>) { return compare_oracles(adjusted_oracles(), kOracleBound); }

}  // namespace

Finding compare_oracles(std::span<const Oracle> oracles, double bound) {
  Deviations found(bound, "number");
  for (const auto& o : oracles) found.add(std::abs(o.computed - o.known), o.name);
  return found.finding();
}

std::vector<Oracle> interval_oracles(const IntervalFunctions& f) {
  std::vector<Oracle> out;
  const WilsonCase cases[] = {{0, 10, 0, 0.277533},           {1, 10, 0.017876, 0.404150},
                              {5, 10, 0.236593, 0.763407},    {9, 10, 0.595850, 0.982124},
                              {10, 10, 0.722467, 1},          {7, 12, 0.319511, 0.806740},
                              {17, 20, 0.639581, 0.947631},   {90, 100, 0.825634, 0.944771},
                              {428, 500, 0.822510, 0.884062}, {500, 500, 0.992376, 1}};
  for (const auto& c : cases) {
    const Interval found = f.wilson(c.right, c.of, kZ95);
    const std::string name = "Wilson, " + std::to_string(c.right) + " of " + std::to_string(c.of);
    out.push_back({name + ", low", found.low, c.low});
    out.push_back({name + ", high", found.high, c.high});
  }
  const std::vector<double> seeds = {.62, .95, .88};
  const MeanInterval mean = f.mean(seeds).value_or(MeanInterval{});
  out.push_back({"mean of three seeds", mean.mean, 0.816667});
  out.push_back({"standard deviation of three seeds", mean.sd, 0.173877});
  out.push_back({"t interval of three seeds", mean.half, 0.431935});
  return out;
}

std::vector<Oracle> paired_oracles(const PairedFunctions& f) {
  std::vector<Oracle> out;
  const McNemarCase tests[] = {{0, 0, 1},         {5, 0, 0.0625},    {6, 0, 0.03125},   {1, 9, 0.021484},
                               {2, 10, 0.038574}, {3, 12, 0.035156}, {5, 15, 0.041389}, {8, 24, 0.007000},
                               {10, 10, 1},       {14, 4, 0.030884}};
  for (const auto& c : tests)
    out.push_back({"McNemar, " + std::to_string(c.b) + " against " + std::to_string(c.c), f.mcnemar(c.b, c.c), c.p});
  const TangoCase intervals[] = {{{136, 14, 4, 46}, 0.009393, 0.097051},
                                 {{43, 12, 3, 42}, 0.015977, 0.173743},
                                 {{14, 10, 2, 4}, 0.045604, 0.468466},
                                 {{1, 1, 7, 12}, -0.517232, -0.026003}};
  for (const auto& c : intervals) {
    const Interval found = f.difference(c.counts, kZ95);
    const std::string name = "Tango, " + std::to_string(c.counts.b) + " against " + std::to_string(c.counts.c);
    out.push_back({name + ", low", found.low, c.low});
    out.push_back({name + ", high", found.high, c.high});
  }
  const std::vector<double> whole = {1, 1, 1, 1, 1, 0, 0, -1}, parts = {.3, .1, .4, .2, -.1, .5};
  out.push_back({"sign flips of whole numbers", f.signs(whole, Rng(0), 9999), 0.21875});
  out.push_back({"sign flips of fractions", f.signs(parts, Rng(0), 9999), 0.09375});
  return out;
}

std::vector<Oracle> adjusted_oracles(const AdjustFunctions& f) {
  std::vector<Oracle> out;
  const std::vector<double> sorted = {.001, .012, .021, .030, .20};
  const std::vector<double> mixed = {.60, .04, .0005, .011, .011, .30, .02, .9};
  add_list("Holm, sorted", f.family(sorted), {.005, .048, .063, .063, .20}, out);
  add_list("Benjamini-Hochberg, sorted", f.rate(sorted), {.005, .030, .035, .0375, .20}, out);
  add_list("Holm, mixed", f.family(mixed), {1, .16, .004, .077, .077, .9, .1, 1}, out);
  add_list("Benjamini-Hochberg, mixed", f.rate(mixed), {.685714, .064, .004, .029333, .029333, .4, .04, .9}, out);
  return out;
}

extern const SelfCheck intervals_check{
    .name = "intervals",
    .compares = "Wilson and t intervals, and known values",
    .measures = "largest difference",
    .run = check_intervals,
};

extern const SelfCheck paired_tests_check{
    .name = "paired_tests",
    .compares = "McNemar, Tango, sign flips, and known values",
    .measures = "largest difference",
    .run = check_paired,
};

extern const SelfCheck many_tests_check{
    .name = "many_tests",
    .compares = "Holm and Benjamini-Hochberg, and known values",
    .measures = "largest difference",
    .run = check_adjusted,
};

}  // namespace lw
