// The one rule by which two settings are compared, within a run and between runs.
#include <algorithm>

#include "reports/diff.h"
#include "reports/statistics/paired.h"
#include "tests/catch.h"
#include "tests/reports/diff_support.h"

namespace lw {
namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using fixture::compared;
using fixture::one;
using fixture::row;

/// The same run, trained again: other weights.
fixture::Run trained_apart(fixture::Run run) {
  for (auto& s : run.manifest.settings) s.trainings[0].weights += " again";
  return run;
}

TEST_CASE("trained apart, once each: the difference is printed, and nothing is said of it") {
  const Diff diff = compared(one("rope", 40, 30), trained_apart(one("rope", 40, 5)));
  const Comparison& c = row(diff, Scope::kBeyond);
  CHECK(*c.difference == Approx(-0.625));
  CHECK(c.about == About::kOneTraining);
  CHECK(c.verdict == Verdict::kOneSeed);
  CHECK_FALSE(c.p);
  CHECK_FALSE(c.low);
  CHECK_FALSE(has_regression(diff, RegressionScope::kAny));
  CHECK_THAT(diff_terminal(diff, false), ContainsSubstring("one seed cannot tell"));
}

TEST_CASE("two loaded models are given: their probes are the unit") {
  auto base = one("rope", 40, 30), run = trained_apart(one("rope", 40, 5));
  for (auto* side : {&base, &run}) {
    side->manifest.settings[0].checkpoint.emplace();
    side->manifest.settings[0].trainings[0].steps = 0;
    side->manifest.settings[0].trainings[0].gates.clear();
  }
  CHECK(row(compared(base, run), Scope::kBeyond).verdict == Verdict::kWorse);
}

/// Three seeds, needles at 16 and 64, with the given numbers right of 100 at 64.
fixture::Run three_seeds(const std::vector<int64_t>& right, const std::string& weights) {
  fixture::Run run;
  run.manifest.suites = {fixture::needle({16, 64})};
  for (size_t seed = 0; seed < right.size(); ++seed) {
    run.manifest.settings.push_back(fixture::setting("rope", int64_t(seed), {"needle"}));
    run.manifest.settings.back().trainings[0].weights += weights;
    fixture::add_probes(run.records, run.manifest.settings.back(), "needle", 16, 100, 100);
    fixture::add_probes(run.records, run.manifest.settings.back(), "needle", 64, 100, right[seed]);
  }
  return run;
}

TEST_CASE("between trainings the seeds' differences decide, not the pooled probes") {
  const Diff luck = compared(three_seeds({60, 70, 80}, "a"), three_seeds({50, 80, 50}, "b"));  // -.10, +.10, -.30
  const Comparison& c = row(luck, Scope::kBeyond);
  CHECK(mcnemar_exact(c.b, c.c) < 0.001);  // 40 against 10: what pooled probes would claim
  CHECK(c.about == About::kSeeds);
  CHECK_FALSE(c.on_weights);
  CHECK(c.verdict == Verdict::kUndecided);
  CHECK_FALSE(has_regression(luck, RegressionScope::kAny));
  const Diff real = compared(three_seeds({70, 71, 72}, "a"), three_seeds({30, 32, 31}, "b"));
  CHECK(row(real, Scope::kBeyond).verdict == Verdict::kWorse);
  CHECK(has_regression(real, RegressionScope::kAny));
  CHECK_FALSE(has_regression(real, RegressionScope::kShort));
}

TEST_CASE("a report and a diff of the same pair agree: one rule, one margin, one verdict") {
  fixture::Run run;  // one row a side and suite: the families are the same
  run.manifest.suites = {{"text", "text", "", std::nullopt, false, {16, 64}, {}}};
  for (const std::string variant : {"rope", "rope-yarn"})
    for (int64_t seed = 0; seed < 3; ++seed) {
      const SettingInfo s = fixture::setting(variant, seed, {"text"});
      run.manifest.settings.push_back(s);
      for (const int64_t length : {16, 64})
        for (int64_t i = 0; i < 40; ++i) {
          Record r = fixture::record(s, "text", length, i);
          r.nll = 1.0 + 0.01 * double(i) + (variant == "rope" ? 0 : 0.023 + 0.001 * double(seed) + 0.0001 * double(i));
          run.records.push_back(r);
        }
    }
  const Summary report = summarise(run.manifest, run.records);
  const Diff diff = compared(run, run, {.names = {{"rope", "rope-yarn"}}});
  for (const auto& r : diff.runs[0].rows)
    if (carries_claims(r.scope)) {
      const auto same = std::find_if(report.comparisons.begin(), report.comparisons.end(),
                                     [&](const Comparison& c) { return c.scope == r.scope; });
      REQUIRE(same != report.comparisons.end());
      CHECK(r.difference == same->difference);
      CHECK(r.low == same->low);
      CHECK(r.p == same->p);
      CHECK(r.p_adjusted == same->p_adjusted);
      CHECK(r.verdict == same->verdict);
      CHECK(r.verdict == Verdict::kSlightlyWorse);  // a loss of 0.024 nats, below the margin
    }
  CHECK_FALSE(has_regression(diff, RegressionScope::kShort));
}

}  // namespace
}  // namespace lw
