// Scaled against unscaled weights: differences, what they are about, and what is said of them.
#include <algorithm>

#include "reports/statistics/intervals.h"
#include "reports/statistics/paired.h"
#include "reports/summary.h"
#include "tests/catch.h"
#include "tests/reports/run_fixture.h"

namespace lw {
namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

const Comparison* find(const Summary& s, const std::string& suite, Scope scope, std::optional<int64_t> length = {}) {
  for (const auto& c : s.comparisons)
    if (c.suite == suite && c.scope == scope && c.length == length) return &c;
  return nullptr;
}

TEST_CASE("comparisons pair by seed, probe and prompt") {
  const auto run = fixture::full_run();
  const Summary s = summarise(run.manifest, run.records);
  const Comparison* c = find(s, "needle", Scope::kLength, 64);  // 10, 11, 12 of 24 against 22, 23, 24
  REQUIRE(c);
  CHECK(c->variant == "rope-linear-4");
  CHECK(c->baseline == "rope");
  CHECK(c->seeds == 3);
  CHECK(c->n == 72);
  CHECK(c->a == 33);
  CHECK(c->b == 36);
  CHECK(c->c == 0);
  CHECK(c->d == 3);
  CHECK(*c->difference == Approx(0.5));
  CHECK(c->about == About::kSeeds);
  CHECK(c->by_seed.size() == 3);
  REQUIRE(c->on_weights);
  CHECK(c->low == c->on_weights->low);         // all seeds gain the same: the probes set the width
  CHECK(*c->low < tango({33, 36, 0, 3}).low);  // a probe under three seeds is one cluster
  CHECK(*c->p > mcnemar_exact(36, 0));
  CHECK(*c->p_adjusted >= *c->p);
  CHECK(c->verdict == Verdict::kBetter);
  CHECK_FALSE(c->in_length);
}

TEST_CASE("short contexts are the lengths up to the training length, and say what scaling costs") {
  const auto run = fixture::full_run();
  const Summary s = summarise(run.manifest, run.records);
  const Comparison* c = find(s, "needle", Scope::kShort);
  REQUIRE(c);
  CHECK(c->n == 144);  // lengths 16 and 32, 24 probes, 3 seeds
  CHECK(c->c == 36);
  CHECK(*c->difference == Approx(-0.25));
  CHECK(c->verdict == Verdict::kWorse);
  const Comparison* same = find(s, "order", Scope::kShort);
  CHECK(same->difference == 0.0);
  CHECK(same->p == 1.0);
  CHECK(same->verdict == Verdict::kUndecided);  // 144 probes, but 24 clusters: too few to exclude a loss of 0.05
  CHECK(*same->low == Approx(tango(0, 0, 24).low));
}

TEST_CASE("likelihood suites compare mean nll, clustered by document") {
  const auto run = fixture::full_run();
  const Summary s = summarise(run.manifest, run.records);
  const Comparison* c = find(s, "chain", Scope::kLength, 64);
  REQUIRE(c);
  CHECK(c->metric == "nll");
  CHECK(*c->difference == Approx(-0.5));
  CHECK(c->verdict == Verdict::kBetter);  // less is better
  CHECK(c->a + c->b + c->c + c->d == 0);
}

TEST_CASE("too few probes give no verdict of 'held'") {
  fixture::Run run;
  run.manifest.suites = {fixture::needle({16})};
  for (const std::string variant : {"rope", "rope-linear-4"}) {
    run.manifest.settings.push_back(fixture::setting(variant, 0, {"needle"}));
    fixture::add_probes(run.records, run.manifest.settings.back(), "needle", 16, 10, 9);
  }
  const Summary s = summarise(run.manifest, run.records);
  CHECK(find(s, "needle", Scope::kShort)->verdict == Verdict::kUndecided);
  CHECK(find(s, "needle", Scope::kShort)->detectable);
}

TEST_CASE("a seed that did not learn is in no comparison") {
  auto run = fixture::full_run();
  for (auto& setting : run.manifest.settings)
    if (setting.scheme == "rope" && setting.seed == 2) setting.trainings[0].gates[0].passed = false;
  const Summary s = summarise(run.manifest, run.records);
  CHECK(find(s, "needle", Scope::kLength, 64)->seeds == 2);
  CHECK(find(s, "needle", Scope::kLength, 64)->n == 48);
  CHECK(find(s, "order", Scope::kLength, 64)->seeds == 3);
}

TEST_CASE("another prompt under the same id is not a pair") {
  auto run = fixture::full_run();
  for (auto& r : run.records)
    if (r.setting == "rope-linear-4/s0" && r.id == "needle/64/0") r.prompt_hash = "other";
  const Summary s = summarise(run.manifest, run.records);
  CHECK(find(s, "needle", Scope::kLength, 64)->n == 71);
  CHECK(find(s, "needle", Scope::kLength, 64)->unpaired == 1);
}

TEST_CASE("settings of other weights are not compared") {
  auto run = fixture::full_run();
  for (auto& setting : run.manifest.settings)
    if (setting.scaled) setting.trainings[0].weights = "trained for longer";
  CHECK(summarise(run.manifest, run.records).comparisons.empty());
}

/// A scheme and its scaling on the same weights, with the given numbers right of `n` at 16 and at 64.
fixture::Run twins(const std::vector<std::pair<int64_t, int64_t>>& right_at_64, int64_t n) {
  fixture::Run run;
  run.manifest.suites = {fixture::needle({16, 64})};
  for (const std::string variant : {"rope", "rope-linear-8"})
    for (size_t seed = 0; seed < right_at_64.size(); ++seed) {
      run.manifest.settings.push_back(fixture::setting(variant, int64_t(seed), {"needle"}));
      const auto [unscaled, scaled] = right_at_64[seed];
      fixture::add_probes(run.records, run.manifest.settings.back(), "needle", 16, n, n);
      fixture::add_probes(run.records, run.manifest.settings.back(), "needle", 64, n,
                          variant == "rope" ? unscaled : scaled);
    }
  return run;
}

TEST_CASE("the seeds' own differences are the unit of a claim, the probes that of one on these weights") {
  const auto run = twins({{60, 78}, {60, 115}, {60, 113}}, 150);  // +.12, +.37, +.35
  const Summary s = summarise(run.manifest, run.records);
  const Comparison* c = find(s, "needle", Scope::kBeyond);
  REQUIRE(c);
  CHECK(c->by_seed.size() == 3);
  CHECK(c->by_seed[0].difference == Approx(0.12));
  const auto t = t_interval(std::vector<double>{18 / 150.0, 55 / 150.0, 53 / 150.0});
  CHECK(*c->low == Approx(t->mean - t->half));  // -0.06
  CHECK(*c->high == Approx(t->mean + t->half));
  CHECK(*c->low < 0);
  CHECK(*c->p > 0.05);
  CHECK(c->verdict == Verdict::kUndecided);
  CHECK(c->on_weights->verdict == Verdict::kBetter);
  std::string all;
  for (const auto& claim : s.verdict) all += claim.headline + " " + claim.text + "\n";
  CHECK_THAT(all, ContainsSubstring("On these weights, scaling helps beyond the training length."));
  CHECK_THAT(all, ContainsSubstring("3 seeds +0.12 to +0.37"));
  CHECK_THAT(all, ContainsSubstring("Of other seeds this says nothing."));
}

TEST_CASE("seeds that agree carry a claim about the scaling") {
  const auto run = twins({{60, 120}, {62, 121}, {58, 119}, {61, 122}}, 150);
  const Summary s = summarise(run.manifest, run.records);
  CHECK(find(s, "needle", Scope::kBeyond)->verdict == Verdict::kBetter);
  CHECK(std::any_of(s.verdict.begin(), s.verdict.end(), [](const Claim& c) {
    return c.tone == Claim::Tone::kGood && c.headline == "Scaling helps beyond the training length.";
  }));
}

TEST_CASE("one pair of weights: McNemar's test, and the words say so") {
  const auto run = twins({{60, 100}}, 150);
  const Summary s = summarise(run.manifest, run.records);
  const Comparison* c = find(s, "needle", Scope::kBeyond);
  CHECK(c->about == About::kWeights);
  CHECK(*c->p == Approx(mcnemar_exact(40, 0)));
  CHECK(*c->low == Approx(tango({60, 40, 0, 50}).low));
  CHECK(*c->p_adjusted == Approx(2 * mcnemar_exact(40, 0)));  // Holm over inside and beyond
  CHECK(c->verdict == Verdict::kBetter);
}

TEST_CASE("sentences are corrected over all variants and suites, tables by the rate of false findings") {
  const auto run = fixture::full_run();
  const Summary s = summarise(run.manifest, run.records);
  int claims = 0;
  for (const auto& c : s.comparisons) claims += carries_claims(c.scope) ? 1 : 0;
  CHECK(claims == 6);  // three suites, two sides
  const Comparison* smallest = nullptr;
  for (const auto& c : s.comparisons)
    if (carries_claims(c.scope) && (smallest == nullptr || *c.p < *smallest->p)) smallest = &c;
  CHECK(*smallest->p_adjusted == Approx(std::min(1.0, 6 * *smallest->p)));
  for (const auto& c : s.comparisons)
    if (c.scope == Scope::kLength) CHECK(*c.p_adjusted <= 9 * *c.p + 1e-12);
}

TEST_CASE("a comparison with probes that have no score carries no claim") {
  auto run = twins({{60, 120}}, 150);
  for (auto& r : run.records)
    if (r.setting == "rope-linear-8/s0" && r.id == "needle/64/149")
      fixture::unscored(r = fixture::record(run.manifest.settings[1], "needle", 64, 149), Status::kFailed,
                        "not finite");
  const Summary s = summarise(run.manifest, run.records);
  CHECK(find(s, "needle", Scope::kBeyond)->verdict == Verdict::kIncomplete);
  CHECK(find(s, "needle", Scope::kBeyond)->missing == 1);
  for (const auto& claim : s.verdict) CHECK_THAT(claim.headline, !ContainsSubstring("caling helps"));
}

TEST_CASE("where neither side lies above chance, nothing is held and nothing is lost") {
  fixture::Run run;
  run.manifest.suites = {fixture::needle({16, 64})};
  for (const std::string variant : {"rope", "rope-linear-8"}) {
    run.manifest.settings.push_back(fixture::setting(variant, 0, {"needle"}));
    for (const int64_t length : {16, 64})
      fixture::add_probes(run.records, run.manifest.settings.back(), "needle", length, 400, 100);
  }
  const Summary s = summarise(run.manifest, run.records);
  CHECK(find(s, "needle", Scope::kShort)->verdict == Verdict::kAtChance);
  CHECK_THAT(s.verdict.front().headline, ContainsSubstring("at chance inside the training length"));
  for (const auto& claim : s.verdict) CHECK(claim.tone != Claim::Tone::kGood);
}

TEST_CASE("a guess that scores as well as the model is no success") {
  fixture::Run run;
  run.manifest.suites = {fixture::needle({16, 64})};
  run.manifest.settings = {fixture::setting("rope", 0, {"needle"})};
  for (const int64_t length : {16, 64})
    fixture::add_probes(run.records, run.manifest.settings[0], "needle", length, 200, 184);
  for (auto& r : run.records) r.baselines = {{"last", r.id.ends_with("7") ? 0.0 : 1.0}};
  const Summary s = summarise(run.manifest, run.records);
  CHECK_THAT(s.verdict.front().headline, ContainsSubstring("no success is shown inside the training length"));
  CHECK_THAT(s.verdict.front().text, ContainsSubstring("guessing 'last' 0.90"));
}

}  // namespace
}  // namespace lw
