// Records to cells, on runs made by hand.
#include "reports/summary.h"

#include <cmath>

#include "reports/distance_bins.h"
#include "reports/statistics/intervals.h"
#include "tests/catch.h"
#include "tests/reports/lookup.h"

namespace lw {
namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using fixture::find;
using fixture::find_pooled;
using fixture::scored;
using fixture::Small;

TEST_CASE("ten of ten is 1 with a wilson interval, not 1 +- 0") {
  Small run;
  for (int64_t i = 0; i < 10; ++i) scored(run.add(16, i), true);
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
  scored(run.add(64, 0), true);
  scored(run.add(64, 1), false);
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
  scored(run.add(16, 0), true);
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
    scored(r, i < 2);
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
    scored(r, i % 3 == 0);
  }
  const Summary on_grid = grid.summary();
  CHECK(find(on_grid, "accuracy", 16, {}, 0.0)->value == 1.0);
  CHECK(find(on_grid, "accuracy", 16, {}, 0.5)->n == 3);
  CHECK(find(on_grid, "accuracy", 16, {}, 0.5)->depth_width == 0);
  Small many;
  for (int64_t i = 0; i <= 40; ++i) {
    Record& r = many.add(16, i);
    r.depth = static_cast<double>(i) / 40;
    scored(r, true);
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
    scored(r, i % 2 == 0);
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
      scored(r, true);
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
  CHECK(find(s, "target_accuracy", 16, Bin{4, 5})->value == 1.0);    // first targets
  CHECK(find(s, "target_accuracy", 16, Bin{20, 21})->value == 0.5);  // each distance is asked equally often
}

TEST_CASE("empty run, one length, one seed, nothing scored: all have a summary") {
  const Summary empty = summarise({}, {});
  CHECK(empty.cells.empty());
  CHECK(empty.verdict.size() == 1);
  Small single({16});
  scored(single.add(16, 0), true);
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
