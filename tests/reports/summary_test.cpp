// Records to cells, pooled values and effective lengths, on runs made by hand.
#include "reports/summary.h"

#include <algorithm>
#include <cmath>

#include "harness/base/error.h"
#include "harness/base/rng.h"
#include "reports/cells.h"
#include "reports/statistics/intervals.h"
#include "tests/catch.h"
#include "tests/reports/run_fixture.h"

namespace lw {
namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using fixture::judged;
using fixture::record;

/// One setting, one suite.
struct Small {
  SettingInfo setting = fixture::setting("rope", 0, {"needle"});
  Manifest manifest;
  std::vector<Record> records;

  explicit Small(const std::vector<int64_t>& lengths = {16, 64}) {
    manifest.name = "small";
    manifest.settings = {setting};
    manifest.suites = {fixture::needle(lengths)};
  }
  Record& add(int64_t length, int64_t index) {
    records.push_back(record(setting, manifest.suites[0].name, length, index));
    return records.back();
  }
  Summary summary(const SummaryOptions& options = {}) const { return summarise(manifest, records, options); }
};

const Cell* find(const Summary& s, const std::string& metric, int64_t length, std::optional<Bin> distance = {},
                 std::optional<double> depth = {}, std::optional<Bin> offset = {}) {
  for (const auto& c : s.cells)
    if (c.metric == metric && c.length == length && c.distance == distance && c.depth == depth && c.offset == offset)
      return &c;
  return nullptr;
}

const Pooled* find_pooled(const Summary& s, const std::string& variant, const std::string& suite,
                          const std::string& metric, int64_t length) {
  for (const auto& p : s.pooled)
    if (p.variant == variant && p.suite == suite && p.metric == metric && p.length == length && !p.distance &&
        !p.depth && !p.offset)
      return &p;
  return nullptr;
}

TEST_CASE("ten of ten is 1 with a wilson interval, not 1 +- 0") {
  Small run;
  for (int64_t i = 0; i < 10; ++i) judged(run.add(16, i), true);
  const Summary s = run.summary();
  const Cell* c = find(s, "accuracy", 16);
  REQUIRE(c);
  CHECK(c->n == 10);
  CHECK(c->k == 10);
  CHECK(c->value == 1.0);
  CHECK(*c->low == Approx(0.722467).margin(1e-6));
  CHECK(c->high == 1.0);
  CHECK(c->interval == "wilson");
  CHECK(c->in_length);
  CHECK(*c->detectable > 0.2);
  CHECK(c->chance == 0.25);
}

TEST_CASE("every status is counted, and none of them is a score") {
  Small run;
  judged(run.add(64, 0), true);
  judged(run.add(64, 1), false);
  fixture::unscored(run.add(64, 2), Status::kTooLong, "65 > 64");
  fixture::unscored(run.add(64, 3), Status::kNoPosition, "no vector for position 32");
  fixture::unscored(run.add(64, 4), Status::kFailed, "not finite");
  const Summary s = run.summary();
  const Cell* c = find(s, "accuracy", 64);
  REQUIRE(c);
  CHECK(c->n == 2);
  CHECK(c->value == 0.5);
  CHECK(c->n_total == 5);
  CHECK(c->n_scored == 2);
  CHECK(c->n_too_long == 1);
  CHECK(c->n_no_position == 1);
  CHECK(c->n_failed == 1);
  CHECK_FALSE(c->in_length);
}

TEST_CASE("no position is an empty cell with its reason") {
  Small run;
  for (int64_t i = 0; i < 4; ++i)
    fixture::unscored(run.add(64, i), Status::kNoPosition, "no vector for position 32 (table holds 32)");
  const Summary s = run.summary();
  const Cell* c = find(s, "accuracy", 64);
  REQUIRE(c);
  CHECK_FALSE(c->value);
  CHECK_FALSE(c->low);
  CHECK(c->n == 0);
  CHECK(c->reason == "no position: no vector for position 32 (table holds 32)");
}

TEST_CASE("a length without records is 'not run', never -1 or 0") {
  Small run;
  judged(run.add(16, 0), true);
  const Summary s = run.summary();
  const Cell* c = find(s, "accuracy", 64);
  REQUIRE(c);
  CHECK_FALSE(c->value);
  CHECK(c->n_total == 0);
  CHECK(c->reason == "not run");
}

TEST_CASE("distance bins are powers of two, half open, and share no probe") {
  CHECK(bin_of(0, {}) == Bin{0, 1});
  CHECK(bin_of(1, {}) == Bin{1, 2});
  CHECK(bin_of(31, {}) == Bin{16, 32});
  CHECK(bin_of(32, {}) == Bin{32, 64});
  CHECK(bin_of(5, {10, 100}) == Bin{0, 10});
  CHECK(bin_of(10, {10, 100}) == Bin{10, 100});
  CHECK(bin_of(100, {10, 100}) == Bin{100, 200});
  CHECK(bin_of(450, {10, 100}) == Bin{400, 800});
  Small run;
  const int64_t distances[] = {4, 7, 8, 15, 16};
  for (int64_t i = 0; i < 5; ++i) {
    Record& r = run.add(16, i);
    r.distance = distances[i];
    judged(r, i < 2);
  }
  const Summary s = run.summary();
  CHECK(find(s, "accuracy", 16, Bin{4, 8})->n == 2);
  CHECK(find(s, "accuracy", 16, Bin{4, 8})->value == 1.0);
  CHECK(find(s, "accuracy", 16, Bin{8, 16})->value == 0.0);
  CHECK(find(s, "accuracy", 16, Bin{16, 32})->n == 1);
  const Summary other = run.summary({.distance_edges = {8}});
  CHECK(find(other, "accuracy", 16, Bin{0, 8})->n == 2);
  CHECK(find(other, "accuracy", 16, Bin{8, 16})->n == 2);
  CHECK_THROWS_WITH(run.summary({.distance_edges = {8, 8}}), ContainsSubstring("increasing"));
}

TEST_CASE("depths on a grid stay exact, many depths are binned") {
  Small grid;
  for (int64_t i = 0; i < 9; ++i) {
    Record& r = grid.add(16, i);
    r.depth = static_cast<double>(i % 3) / 2;
    judged(r, i % 3 == 0);
  }
  const Summary on_grid = grid.summary();
  CHECK(find(on_grid, "accuracy", 16, {}, 0.0)->value == 1.0);
  CHECK(find(on_grid, "accuracy", 16, {}, 0.5)->n == 3);
  CHECK(find(on_grid, "accuracy", 16, {}, 0.5)->depth_width == 0);
  Small many;
  for (int64_t i = 0; i <= 40; ++i) {
    Record& r = many.add(16, i);
    r.depth = static_cast<double>(i) / 40;
    judged(r, true);
  }
  const Summary binned = many.summary();
  int64_t total = 0;
  for (const double centre : {0.1, 0.3, 0.5, 0.7, 0.9}) {
    const Cell* c = find(binned, "accuracy", 16, {}, centre);
    REQUIRE(c);
    CHECK(c->depth_width == 0.2);
    total += c->n;
  }
  CHECK(total == 41);
}

TEST_CASE("pairs: always the first answer scores half of the probes and none of the pairs") {
  Small run;
  run.manifest.suites[0] = {"order", "order", "", 0.5, true, {16}, {}};
  for (int64_t i = 0; i < 20; ++i) {
    Record& r = run.add(16, i);
    r.group = "p" + std::to_string(i / 2);
    judged(r, i % 2 == 0);
    r.gold = i % 2 == 0 ? "A" : "B";
    r.answer = "A";
    r.baselines = {{"first", i % 2 == 0 ? 1.0 : 0.0}};
  }
  Summary s = run.summary();
  CHECK(find(s, "accuracy", 16)->value == 0.5);
  CHECK(find(s, "pair_accuracy", 16)->value == 0.0);
  CHECK(find(s, "pair_accuracy", 16)->chance == 0.25);
  CHECK(find(s, "pair_accuracy", 16)->n == 10);
  CHECK(find(s, "pair_accuracy", 16)->baselines == Baselines{{"first", 0.0}});
  CHECK(find(s, "accuracy", 16)->baselines == Baselines{{"first", 0.5}});
  CHECK(find(s, "position_blind", 16)->value == 1.0);
  for (auto& r : run.records) {
    r.answer = r.gold;
    r.correct = true;
  }
  s = run.summary();
  CHECK(find(s, "pair_accuracy", 16)->value == 1.0);
  CHECK(find(s, "position_blind", 16)->value == 0.0);
  // All right: the ten pairs, not the twenty probes, carry the interval.
  CHECK(*find(s, "accuracy", 16)->low < wilson_count(20, 20).low);
  CHECK(find(s, "accuracy", 16)->interval == "wilson, clustered");
}

TEST_CASE("a pair of which one probe has no score is no pair") {
  Small run;
  run.manifest.suites[0] = {"order", "order", "", 0.5, true, {16}, {}};
  for (int64_t i = 0; i < 2; ++i) {
    Record& r = run.add(16, i);
    r.group = "p";
    if (i == 0)
      judged(r, true);
    else
      fixture::unscored(r, Status::kFailed, "not finite");
  }
  const Summary s = run.summary();
  CHECK_FALSE(find(s, "pair_accuracy", 16)->value);
  CHECK(find(s, "pair_accuracy", 16)->reason == "no complete pair");
}

TEST_CASE("mean nll weighs targets, not probes, and clusters by document") {
  Small run;
  run.manifest.suites[0] = {"text", "text", "", std::nullopt, false, {16}, {}};
  Record& longer = run.add(16, 0);
  for (int64_t i = 0; i < 8; ++i) longer.targets.push_back({i, i, 1.0, std::nullopt});
  longer.nll = 1.0;
  Record& shorter = run.add(16, 1);
  for (int64_t i = 0; i < 2; ++i) shorter.targets.push_back({i + 8, i, 3.0, std::nullopt});
  shorter.nll = 3.0;
  const Summary s = run.summary();
  const Cell* c = find(s, "nll", 16);
  REQUIRE(c);
  CHECK(std::exp(*c->value) == Approx(4.0552).margin(1e-4));  // not 7.3891
  CHECK(c->n == 10);
  CHECK(c->unit == "target");
  CHECK(c->clusters == 2);
  CHECK_FALSE(c->chance);
  CHECK(find(s, "accuracy", 16) == nullptr);
}

TEST_CASE("nll by position splits its bins at the training length") {
  Small run;
  run.setting.train_length = 24;
  run.manifest.settings = {run.setting};
  run.manifest.suites[0] = {"text", "text", "", std::nullopt, false, {64}, {}};
  Record& r = run.add(64, 0);
  r.in_length = false;
  for (int64_t offset = 0; offset < 64; ++offset)
    r.targets.push_back({offset, std::nullopt, offset < 24 ? 1.0 : 2.0, std::nullopt});
  r.nll = 1.6;
  const Summary s = run.summary();
  CHECK(find(s, "nll", 64, {}, {}, Bin{16, 24})->value == 1.0);
  CHECK(find(s, "nll", 64, {}, {}, Bin{24, 32})->value == 2.0);
  CHECK(find(s, "nll", 64, {}, {}, Bin{32, 64})->n == 32);
}

TEST_CASE("excess nll is what lies above the ideal predictor") {
  Small run;
  run.manifest.suites[0] = {"chain", "markov", "", std::nullopt, false, {16}, {}};
  for (int64_t i = 0; i < 4; ++i) {
    Record& r = run.add(16, i);
    r.nll = 2.0 + 0.1 * static_cast<double>(i);
    r.baselines = {{"ideal_nll", 1.5}};
  }
  const Summary s = run.summary();
  CHECK(*find(s, "excess_nll", 16)->value == Approx(0.65));
  CHECK(*find(s, "nll", 16)->value == Approx(2.15));
  CHECK(find(s, "nll", 16)->baselines == Baselines{{"ideal_nll", 1.5}});
}

TEST_CASE("several targets: exact match by probe, and the share of targets beside it") {
  Small run;
  run.manifest.suites[0] = {"copy", "copy", "", 0.5, false, {16}, {}};
  for (int64_t i = 0; i < 6; ++i) {
    Record& r = run.add(16, i);
    bool all = true;
    for (int64_t t = 0; t < 4; ++t) {
      const bool right = i < 3 || t < 2;
      r.targets.push_back({8 + t, 4 + 8 * t, 0.5, right});
      all = all && right;
    }
    r.correct = all;
    r.nll = 0.5;
  }
  const Summary s = run.summary();
  CHECK(find(s, "accuracy", 16)->value == 0.5);
  CHECK(*find(s, "accuracy", 16)->chance == Approx(1.0 / 16));  // all four by luck
  CHECK(find(s, "target_accuracy", 16)->value == 0.75);
  CHECK(find(s, "target_accuracy", 16)->chance == 0.5);
  CHECK(find(s, "target_accuracy", 16)->n == 24);
  CHECK(find(s, "target_accuracy", 16)->clusters == 6);
  CHECK(find(s, "target_accuracy", 16, Bin{4, 8})->value == 1.0);    // first targets
  CHECK(find(s, "target_accuracy", 16, Bin{16, 32})->value == 0.5);  // two of four targets lie there
}

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
  CHECK(alibi.text(alibi.point) == ">= 64");
  CHECK(alibi.by_seed.size() == 2);  // learned ones
  const EffectiveLength learned = effective("learned");
  CHECK(learned.text(learned.point) == "32");  // no position at 64: an end, not a censored curve
  CHECK(learned.reason == "no position at 64");
  const EffectiveLength scaled = effective("rope-linear-4");
  CHECK(scaled.text(scaled.point) == "< 16");
}

TEST_CASE("a length that was too long for the machine censors the effective length") {
  Small run;
  for (int64_t i = 0; i < 30; ++i) {
    judged(run.add(16, i), true);
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

TEST_CASE("the order of records does not matter") {
  const auto run = fixture::full_run();
  const std::string first = summary_json(summarise(run.manifest, run.records));
  auto shuffled = run.records;
  Rng rng(7);
  rng.shuffle(shuffled);
  CHECK(summary_json(summarise(run.manifest, shuffled)) == first);
}

TEST_CASE("records that do not fit the manifest are refused") {
  const auto run = fixture::full_run();
  const auto refused = [&](const std::string& why, auto change) {
    auto records = run.records;
    change(records[0], records[1]);
    CHECK_THROWS_WITH(summarise(run.manifest, records), ContainsSubstring(why));
  };
  refused("setting", [](Record& r, Record&) { r.setting = "ghost/s0"; });
  refused("suite 'ghost'", [](Record& r, Record&) { r.suite = "ghost"; });
  refused("twice", [](Record& r, Record& other) { r.id = other.id; });
  refused("in_length", [](Record& r, Record&) { r.in_length = false; });
  refused("seed", [](Record& r, Record&) { r.seed = 9; });
  refused("without a score",
          [](Record& r, Record&) { r.correct.reset(), r.correct_free.reset(), r.nll.reset(), r.targets.clear(); });
  refused("found a score", [](Record& r, Record&) { r.status = Status::kFailed; });
  refused("not finite", [](Record& r, Record&) { r.nll = std::nan(""); });
  refused("not finite", [](Record& r, Record&) { r.targets[0].nll = INFINITY; });
  refused("depth", [](Record& r, Record&) { r.depth = 1.5; });
}

TEST_CASE("empty run, one length, one seed, nothing scored: all have a summary") {
  const Summary empty = summarise({}, {});
  CHECK(empty.cells.empty());
  CHECK(empty.verdict.size() == 1);
  Small single({16});
  judged(single.add(16, 0), true);
  const Summary one = single.summary();
  CHECK(find(one, "accuracy", 16)->value == 1.0);
  CHECK(find_pooled(one, "rope", "needle", "accuracy", 16)->interval == "wilson");
  Small none({64});
  fixture::unscored(none.add(64, 0), Status::kFailed, "not finite");
  const Summary nothing = none.summary();
  CHECK(find(nothing, "accuracy", 64)->reason == "failed: not finite");
  CHECK(nothing.effective_length[0].longest == 0);
}

}  // namespace
}  // namespace lw
