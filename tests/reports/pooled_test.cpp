// Cells over seeds, effective lengths and areas, on runs made by hand.
#include <algorithm>
#include <cmath>

#include "reports/statistics/intervals.h"
#include "reports/summary.h"
#include "tests/catch.h"
#include "tests/reports/lookup.h"

namespace lw {
namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using fixture::find_pooled;
using fixture::scored;
using fixture::Small;

TEST_CASE("seeds: unlearned ones are listed, never averaged") {
  const auto run = fixture::full_run();
  const Summary s = summarise(run.manifest, run.records);
  const Pooled* p = find_pooled(s, "alibi", "needle", "accuracy", 32);
  REQUIRE(p);
  CHECK(p->seeds_total == 3);
  CHECK(p->seeds_learned == 2);
  CHECK(p->value == 1.0);  // the third scores 6 of 24
  REQUIRE(p->seeds.size() == 3);
  CHECK_FALSE(p->seeds[2].learned);
  CHECK(p->seeds[2].value == 0.25);
  CHECK(p->interval == "range of 2 seeds");
  CHECK(find_pooled(s, "alibi", "order", "accuracy", 32)->seeds_learned == 3);
}

TEST_CASE("three seeds have a t interval that is never narrower than the probes allow") {
  const auto run = fixture::full_run();
  const Summary s = summarise(run.manifest, run.records);
  const Pooled* beyond = find_pooled(s, "rope", "needle", "accuracy", 64);
  REQUIRE(beyond);  // 10, 11 and 12 of 24
  CHECK(beyond->interval == "t over 3 seeds");
  const auto t = t_interval(std::vector<double>{10 / 24.0, 11 / 24.0, 12 / 24.0});
  const Interval probes = wilson(11 / 24.0, 72);
  CHECK(*beyond->low == Approx(std::min(t->mean - t->half, probes.low)));
  CHECK(*beyond->high == Approx(std::max(t->mean + t->half, probes.high)));
  const Pooled* perfect = find_pooled(s, "rope", "needle", "accuracy", 32);
  CHECK(perfect->value == 1.0);
  CHECK(*perfect->low == Approx(wilson_count(72, 72).low));
  CHECK(perfect->high == 1.0);
}

TEST_CASE("no seed learned: no mean, and the reason says so") {
  auto run = fixture::full_run();
  for (auto& setting : run.manifest.settings)
    if (setting.variant == "alibi") setting.trainings[0].gates[0].passed = false;
  const Summary s = summarise(run.manifest, run.records);
  const Pooled* p = find_pooled(s, "alibi", "needle", "accuracy", 32);
  CHECK_FALSE(p->value);
  CHECK_THAT(p->reason, ContainsSubstring("0 of 3"));
  for (const auto& e : s.effective_length)
    if (e.variant == "alibi" && e.suite == "needle") CHECK_FALSE(e.point);
}

TEST_CASE("effective length by the rule: every seed proves, the mean holds, some seed is not refuted") {
  const auto run = fixture::full_run();
  const Summary s = summarise(run.manifest, run.records);
  const auto effective = [&](const std::string& variant) {
    for (const auto& e : s.effective_length)
      if (e.variant == variant && e.suite == "needle") return e;
    return EffectiveLength{};
  };
  const EffectiveLength rope = effective("rope");
  CHECK(rope.point == 32);
  CHECK(rope.proven == 32);  // 24 of 24 proves 0.85
  CHECK(rope.text(rope.point) == "32");
  CHECK(rope.crossing);
  CHECK(rope.chance == 0.25);
  CHECK(rope.by_seed.size() == 3);
  const EffectiveLength alibi = effective("alibi");
  CHECK(alibi.text(alibi.point) == ">= 32");  // at 64 a probe has no score: neither held nor failed
  CHECK(alibi.by_seed.size() == 2);           // learned ones
  const EffectiveLength learned = effective("learned");
  CHECK(learned.text(learned.point) == "32");  // no position at 64: an end, not a censored curve
  CHECK(learned.reason == "no position at 64");
  const EffectiveLength scaled = effective("rope-linear-4");
  CHECK(scaled.text(scaled.point) == "< 16");
}

TEST_CASE("a length that was too long for the machine censors the effective length") {
  Small run;
  for (int64_t i = 0; i < 30; ++i) {
    scored(run.add(16, i), true);
    fixture::unscored(run.add(64, i), Status::kTooLong, "needs 9 GB");
  }
  const Summary s = run.summary();
  REQUIRE(s.effective_length.size() == 1);
  CHECK(s.effective_length[0].text(s.effective_length[0].point) == ">= 16");
}

TEST_CASE("areas are split at the training length") {
  const auto run = fixture::full_run();
  const Summary s = summarise(run.manifest, run.records);
  const auto found = std::find_if(s.curves.begin(), s.curves.end(), [](const Curve& c) {
    return c.variant == "rope" && c.suite == "needle" && c.metric == "accuracy";
  });
  REQUIRE(found != s.curves.end());
  CHECK(found->in_length == 1.0);
  CHECK(*found->beyond == Approx(11 / 24.0));
}

}  // namespace
}  // namespace lw
