// Runs in which there is nothing to find: what reports and diffs say of them. Random numbers are fixed.
#include <algorithm>

#include "harness/base/rng.h"
#include "reports/diff.h"
#include "reports/verdict_claims.h"
#include "tests/catch.h"
#include "tests/reports/run_fixture.h"

namespace lw {
namespace {

constexpr int kRuns = 200, kAllowed = kRuns / 20;

/// `n` probes, each right with probability `share`.
void add_random(fixture::Run& run, const SettingInfo& setting, const std::string& suite, int64_t length, int64_t n,
                double share, Rng& rng) {
  for (int64_t i = 0; i < n; ++i) {
    Record r = fixture::record(setting, suite, length, i);
    r.distance = i % 2 == 0 ? 4 : length / 2;
    run.records.push_back(fixture::scored(r, rng.uniform() < share));
  }
}

/// One scheme, trained with the luck of its seeds: each is better or worse than the scheme by a normal draw.
LoadedRun lucky_run(const std::string& name, int64_t seeds, Rng rng) {
  fixture::Run run;
  run.manifest.suites = {fixture::needle({16, 32, 64, 128})};
  for (int64_t seed = 0; seed < seeds; ++seed) {
    SettingInfo s = fixture::setting("rope", seed, {"needle"});
    s.trainings[0].weights = name + "#" + std::to_string(seed);
    run.manifest.settings.push_back(s);
    const double inside = 0.95 + 0.02 * rng.normal(), beyond = 0.65 + 0.15 * rng.normal();
    for (const int64_t length : {16, 32, 64, 128})
      add_random(run, s, "needle", length, 60, length <= 32 ? inside : beyond, rng);
  }
  LoadedRun loaded;
  loaded.folder = name;
  loaded.manifest = run.manifest;
  loaded.records = run.records;
  return loaded;
}

Diff lucky_diff(int64_t seeds, int draw) {
  const Rng rng = Rng(11).stream(static_cast<uint64_t>(draw)).stream(static_cast<uint64_t>(seeds));
  const LoadedRun base = lucky_run("base", seeds, rng.stream("base"));
  const LoadedRun run = lucky_run("run", seeds, rng.stream("run"));
  return diff_runs(base, std::span(&run, 1));
}

bool differs(const Diff& diff) {
  const auto& rows = diff.runs[0].rows;
  return std::any_of(rows.begin(), rows.end(), [](const Comparison& c) { return c.found(); });
}

/// A scheme and its scalings on the same weights, every probe right with probability 0.7, whatever the setting.
fixture::Run null_run(int64_t seeds, Rng rng) {
  fixture::Run run;
  const std::vector<int64_t> lengths = {16, 32, 64, 128};
  run.manifest.suites = {fixture::needle(lengths), fixture::needle(lengths)};
  run.manifest.suites[1].name = "other";
  for (const std::string variant : {"rope", "rope-linear", "rope-ntk", "rope-yarn", "rope-pi"})
    for (int64_t seed = 0; seed < seeds; ++seed) {
      const SettingInfo s = fixture::setting(variant, seed, {"needle", "other"});
      run.manifest.settings.push_back(s);
      for (const std::string suite : {"needle", "other"})
        for (const int64_t length : lengths) add_random(run, s, suite, length, 40, 0.7, rng);
    }
  return run;
}

bool claims_something(const Summary& s) {
  return std::any_of(s.verdict.begin(), s.verdict.end(),
                     [](const Claim& c) { return c.tone == Claim::Tone::kGood || c.tone == Claim::Tone::kPrice; });
}

/// A loaded model that was never trained: chance on the needle, always the same answer when the order is swapped.
fixture::Run random_weights(int64_t probes, Rng rng) {
  fixture::Run run;
  const std::vector<int64_t> lengths = {16, 32, 64};
  const SuiteMeta text{"text", "text_nll", "", std::nullopt, false, lengths, {"grammar"}};
  run.manifest.suites = {{"needle", "needle", "", 0.125, false, lengths, {"retrieval", "binding"}},
                         {"order", "order_swap", "", 0.5, true, lengths, {}},
                         text};
  for (const std::string variant : {"rope", "rope-yarn"}) {
    SettingInfo s = fixture::setting(variant, 0, {"needle", "order", "text"});
    s.trainings[0].gates.clear();
    s.trainings[0].steps = 0;
    s.checkpoint.emplace();
    s.checkpoint->vocabulary.rows = 1000;
    run.manifest.settings.push_back(s);
    for (const int64_t length : lengths) {
      for (int64_t i = 0; i < probes; ++i) {
        Record r = fixture::record(s, "needle", length, i);
        r.depth = static_cast<double>(i % 3) / 2;
        run.records.push_back(fixture::scored(r, rng.uniform() < 0.125));
        Record o = fixture::record(s, "order", length, i);
        o.group = "pair" + std::to_string(i / 2) + "/" + std::to_string(length);
        fixture::scored(o, i % 2 == 0);
        o.gold = i % 2 == 0 ? "A" : "B";
        o.answer = "A";
        run.records.push_back(o);
        Record t = fixture::record(s, "text", length, i);
        t.group = t.id;
        t.nll = 6.95 + 0.02 * rng.normal();  // ln 1000 = 6.91
        run.records.push_back(t);
      }
    }
  }
  return run;
}

TEST_CASE("null: equal schemes that differ by the luck of their seeds differ in at most 5 % of diffs", "[null]") {
  int found = 0, regressed = 0;
  for (int i = 0; i < kRuns; ++i) {
    const Diff diff = lucky_diff(3, i);
    found += differs(diff) ? 1 : 0;
    regressed += has_regression(diff, RegressionScope::kAny) ? 1 : 0;
  }
  INFO(found << " of " << kRuns << " differ somewhere, " << regressed << " are a regression");
  CHECK(found <= kAllowed);
  CHECK(regressed <= kAllowed / 2);  // worse, not better
}

TEST_CASE("null: of one seed a side, nothing is said", "[null]") {
  for (int i = 0; i < 20; ++i) {
    const Diff diff = lucky_diff(1, i);
    CHECK_FALSE(differs(diff));
    for (const auto& row : diff.runs[0].rows) {
      CHECK(row.verdict == Verdict::kOneSeed);
      CHECK_FALSE(row.p);
    }
  }
}

TEST_CASE("null: runs in which scaling changes nothing claim something in at most 5 % of runs", "[null]") {
  for (const int64_t seeds : {1, 2}) {
    int claimed = 0;
    for (int i = 0; i < kRuns; ++i) {
      const auto run = null_run(seeds, Rng(7).stream(static_cast<uint64_t>(i)).stream(static_cast<uint64_t>(seeds)));
      claimed += claims_something(summarise(run.manifest, run.records)) ? 1 : 0;
    }
    INFO(claimed << " of " << kRuns << " runs of " << seeds << " seeds claim something");
    CHECK(claimed <= kAllowed);
  }
}

TEST_CASE("null: random weights get no green line, and the checklist says no", "[null]") {
  for (const int64_t probes : {4, 20, 60})
    for (int i = 0; i < 10; ++i) {
      const auto run = random_weights(probes, Rng(5).stream(static_cast<uint64_t>(i)));
      const Summary s = summarise(run.manifest, run.records);
      for (const auto& claim : s.verdict) {
        INFO(probes << " probes: " << claim.headline << " " << claim.text);
        CHECK(claim.tone != Claim::Tone::kGood);
        CHECK(claim.headline.find("No price") == std::string::npos);
        CHECK(claim.headline.find(" holds ") == std::string::npos);
      }
      for (const auto& item : s.protocol)
        for (const char* asked : {"needle_depths", "order_swap", "short_again", "grammar", "binding"}) {
          INFO(item.key << ": " << item.why);
          if (item.key == asked) CHECK(item.state != ProtocolItem::State::kYes);
          if (item.key == asked && probes == 60) CHECK(item.state == ProtocolItem::State::kNo);
        }
    }
}

TEST_CASE("null: a few right answers hold nothing", "[null]") {
  for (const int64_t n : {1, 4, 15}) {
    fixture::Run run;
    run.manifest.suites = {fixture::needle({16, 32, 64, 4096})};
    run.manifest.settings = {fixture::setting("alibi", 0, {"needle"})};
    for (const int64_t length : {16, 32, 64, 4096})
      fixture::add_probes(run.records, run.manifest.settings[0], "needle", length, n, n);
    const Summary s = summarise(run.manifest, run.records);
    INFO(n << ": " << s.verdict.front().headline << " " << s.verdict.front().text);
    CHECK(s.verdict.front().tone == Claim::Tone::kNote);
    CHECK(s.verdict.front().headline.find(" holds ") == std::string::npos);
    CHECK(s.effective_length.at(0).point == 4096);  // the estimate stays beside it
    CHECK_FALSE(s.effective_length.at(0).proven);
  }
  CHECK(probes_needed(0.85) == 16);
}

}  // namespace
}  // namespace lw
