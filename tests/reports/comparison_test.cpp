// Scaled against unscaled weights, the protocol's checklist and the verdict.
#include <algorithm>

#include "reports/pairing.h"
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

const ProtocolItem& item(const Summary& s, const std::string& key) {
  const auto found = std::find_if(s.protocol.begin(), s.protocol.end(), [&](const auto& i) { return i.key == key; });
  REQUIRE(found != s.protocol.end());
  return *found;
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
  CHECK(*c->low == Approx(tango({33, 36, 0, 3}).low));
  CHECK(*c->p == Approx(mcnemar_exact(36, 0)));
  CHECK(*c->p_holm == Approx(3 * mcnemar_exact(36, 0)));  // the smallest of three lengths
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
  CHECK(same->verdict == Verdict::kHeld);  // no discordant pair among 144: any loss is below 0.05
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

TEST_CASE("protocol: what a full run meets") {
  const auto run = fixture::full_run();
  const Summary s = summarise(run.manifest, run.records);
  CHECK(s.protocol.size() == 11);
  for (const char* key : {"position_entry", "lengths_recorded", "in_out_apart", "by_distance", "needle_depths",
                          "order_swap", "short_again", "full_setting", "grammar", "binding"}) {
    INFO(key << ": " << item(s, key).why);
    CHECK(item(s, key).state == ProtocolItem::State::kMet);
  }
  CHECK_THAT(item(s, "position_entry").why, ContainsSubstring("query and key"));
  CHECK_THAT(item(s, "lengths_recorded").why, ContainsSubstring("evaluated to 64 (2x)"));
  CHECK(item(s, "generation").state == ProtocolItem::State::kAbsent);
  CHECK(item(s, "generation").why == "none in this run");
}

TEST_CASE("protocol: what is missing is missed, with the reason") {
  const auto missed = [](const std::string& key, auto change) {
    auto run = fixture::full_run();
    change(run);
    const Summary s = summarise(run.manifest, run.records);
    INFO(key << ": " << item(s, key).why);
    CHECK(item(s, key).state == ProtocolItem::State::kMissed);
    CHECK_FALSE(item(s, key).why.empty());
  };
  missed("position_entry", [](auto& run) { run.manifest.settings[0].card.reset(); });
  missed("full_setting", [](auto& run) { run.manifest.settings[0].position_yaml.clear(); });
  missed("in_out_apart", [](auto& run) {
    std::erase_if(run.records, [](const Record& r) { return r.suite == "chain" && !r.in_length; });
  });
  missed("by_distance", [](auto& run) {
    for (auto& r : run.records)
      if (r.suite == "order") {
        r.distance = 5;
        for (auto& t : r.targets) t.distance = 5;
      }
  });
  missed("needle_depths", [](auto& run) {
    for (auto& r : run.records)
      if (r.depth && !r.in_length) r.depth = 0.0;
  });
  missed("order_swap", [](auto& run) {
    for (auto& r : run.records)
      if (r.suite == "order") r.group = r.id;
  });
  missed("short_again", [](auto& run) {
    std::erase_if(run.records, [](const Record& r) { return r.setting.starts_with("rope-linear") && r.in_length; });
  });
  missed("binding", [](auto& run) { std::erase_if(run.records, [](const Record& r) { return r.suite == "order"; }); });
}

TEST_CASE("protocol: a run without pairs, needles or extension says 'none'") {
  fixture::Run run;
  run.manifest.suites = {{"text", "text", "", std::nullopt, false, {16}, {}}};
  run.manifest.settings = {fixture::setting("rope", 0, {"text"})};
  Record r = fixture::record(run.manifest.settings[0], "text", 16, 0);
  r.nll = 1.0;
  const Summary s = summarise(run.manifest, std::vector<Record>{r});
  for (const char* key : {"needle_depths", "order_swap", "short_again", "grammar", "binding", "generation"})
    CHECK(item(s, key).state == ProtocolItem::State::kAbsent);
}

TEST_CASE("verdict: who reaches how far, what scaling buys and costs, which seeds failed") {
  const auto run = fixture::full_run();
  const Summary s = summarise(run.manifest, run.records);
  CHECK(s.verdict.size() >= 3);
  CHECK(s.verdict.size() <= 6);
  std::string all;
  for (const auto& claim : s.verdict) all += claim.headline + " " + claim.text + "\n";
  CHECK_THAT(all, ContainsSubstring("needle: alibi holds 0.85 up to length 64 (2x), the longest tested."));
  CHECK_THAT(all, ContainsSubstring("rope and learned (no position at 64) up to 32"));
  CHECK_THAT(all, ContainsSubstring("rope-linear-4 0.96 against 0.46 (+0.50"));
  CHECK_THAT(all, ContainsSubstring("The price inside 32 tokens: needle, unscaled 1.00: rope-linear-4 -0.25"));
  CHECK_THAT(all, ContainsSubstring("1 of 27 gates failed."));
  CHECK_THAT(all, ContainsSubstring("alibi on needle, seed 2 (0.40, bar 0.90)"));
}

TEST_CASE("verdict: one seed is said to be one seed") {
  fixture::Run run;
  run.manifest.suites = {fixture::needle({16, 64})};
  run.manifest.settings = {fixture::setting("rope", 0, {"needle"})};
  for (const int64_t length : {16, 64})
    fixture::add_probes(run.records, run.manifest.settings[0], "needle", length, 20, length == 16 ? 20 : 5);
  const Summary s = summarise(run.manifest, run.records);
  CHECK_THAT(s.verdict.back().text, ContainsSubstring("With 1 seed a variant"));
  CHECK(s.verdict.front().tone == Claim::Tone::kBad);  // no farther than training
}

}  // namespace
}  // namespace lw
