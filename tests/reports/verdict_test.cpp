// The protocol's checklist and the sentences of the verdict.
#include <algorithm>

#include "reports/summary.h"
#include "tests/catch.h"
#include "tests/reports/run_fixture.h"

namespace lw {
namespace {

using Catch::Matchers::ContainsSubstring;

const ProtocolItem& item(const Summary& s, const std::string& key) {
  const auto found = std::find_if(s.protocol.begin(), s.protocol.end(), [&](const auto& i) { return i.key == key; });
  REQUIRE(found != s.protocol.end());
  return *found;
}

TEST_CASE("protocol: what a full run answers") {
  const auto run = fixture::full_run();
  const Summary s = summarise(run.manifest, run.records);
  CHECK(s.protocol.size() == 11);
  for (const char* key : {"position_entry", "lengths_recorded", "by_distance", "full_setting", "grammar", "binding"}) {
    INFO(key << ": " << item(s, key).why);
    CHECK(item(s, key).state == ProtocolItem::State::kYes);
  }
  CHECK_THAT(item(s, "position_entry").why, ContainsSubstring("query and key"));
  CHECK_THAT(item(s, "lengths_recorded").why, ContainsSubstring("evaluated to 64 (2x)"));
  CHECK_THAT(item(s, "order_swap").why, ContainsSubstring("unmoved by a swap 0.00"));
  CHECK(item(s, "generation").state == ProtocolItem::State::kNotAsked);
  CHECK(item(s, "generation").why == "none in this run");
}

TEST_CASE("protocol: a loss succeeds by the seeds in its mean, whichever seed failed its gate") {
  auto run = fixture::full_run();
  for (auto& gate : run.manifest.settings[0].trainings[0].gates)
    if (gate.suite == "chain") gate.passed = false;
  const ProtocolItem grammar = item(summarise(run.manifest, run.records), "grammar");
  CHECK_THAT(grammar.why, ContainsSubstring("yes for 4 of 4: rope on chain"));
  run.manifest.settings[0].trainings[0].gates.clear();
  CHECK_THAT(item(summarise(run.manifest, run.records), "grammar").why, !ContainsSubstring("yes for 4 of 4"));
}

TEST_CASE("protocol: an answer of 'no' or 'too few probes' has the number that it rests on") {
  const auto answered = [](const std::string& key, ProtocolItem::State state, const std::string& number, auto change) {
    auto run = fixture::full_run();
    change(run);
    const Summary s = summarise(run.manifest, run.records);
    INFO(key << ": " << item(s, key).why);
    CHECK(item(s, key).state == state);
    CHECK_THAT(item(s, key).why, ContainsSubstring(number));
  };
  using State = ProtocolItem::State;
  answered("position_entry", State::kNo, "rope/s0", [](auto& run) { run.manifest.settings[0].card.reset(); });
  answered("full_setting", State::kNo, "rope/s0", [](auto& run) { run.manifest.settings[0].position_yaml.clear(); });
  answered("in_out_apart", State::kNo, "no score beyond it", [](auto& run) {
    std::erase_if(run.records, [](const Record& r) { return r.suite == "chain" && !r.in_length; });
  });
  answered("in_out_apart", State::kTooFew, "needle at 64", [](auto&) {});  // alibi: a probe without a score
  answered("by_distance", State::kNo, "one mean only: order", [](auto& run) {
    for (auto& r : run.records)
      if (r.suite == "order") {
        r.distance = 5;
        for (auto& t : r.targets) t.distance = 5;
      }
  });
  answered("needle_depths", State::kNotAsked, "needle lacks one of them beyond", [](auto& run) {
    for (auto& r : run.records)
      if (r.depth && !r.in_length) r.depth = 0.0;
  });
  answered("needle_depths", State::kNo, "no for", [](auto& run) {
    for (auto& r : run.records)
      if (r.suite == "needle" && r.depth == 0.5) r.correct = false;
  });
  answered("order_swap", State::kNo, "unmoved by a swap 1.00", [](auto& run) {
    for (auto& r : run.records)
      if (r.suite == "order" && r.status == Status::kScored) r.answer = "A", r.correct = r.gold == "A";
  });
  answered("order_swap", State::kNotAsked, "no complete pair", [](auto& run) {
    for (auto& r : run.records)
      if (r.suite == "order") r.group = r.id;
  });
  answered("short_again", State::kNo, "-0.25, worse", [](auto& run) {
    std::erase_if(run.manifest.suites, [](const SuiteMeta& suite) { return suite.name != "needle"; });
    std::erase_if(run.records, [](const Record& r) { return r.suite != "needle"; });
  });
  answered("short_again", State::kInPart, "no for 1 of 3", [](auto&) {});
  answered("needle_depths", State::kInPart, "no for 1 of 3", [](auto&) {});
  answered("short_again", State::kNotAsked, "not measured for rope-linear-4", [](auto& run) {
    std::erase_if(run.records, [](const Record& r) { return r.setting.starts_with("rope-linear") && r.in_length; });
  });
  answered("binding", State::kNotAsked, "order has no score",
           [](auto& run) { std::erase_if(run.records, [](const Record& r) { return r.suite == "order"; }); });
}

TEST_CASE("protocol: a guess that is always right at the end is held against every place alike") {
  const auto places = [](auto correct) {
    fixture::Run run;
    run.manifest.suites = {fixture::needle({16, 64})};
    run.manifest.settings = {fixture::setting("rope", 0, {"needle"})};
    for (const int64_t length : {16, 64})
      fixture::add_probes(run.records, run.manifest.settings[0], "needle", length, 90, 90);
    for (auto& r : run.records) {
      r.baselines = {{"last", *r.depth == 1.0 ? 1.0 : 0.0}};
      r.correct = correct(*r.depth);
    }
    return item(summarise(run.manifest, run.records), "needle_depths");
  };
  const auto found = places([](double) { return true; });
  INFO(found.why);
  CHECK(found.state == ProtocolItem::State::kYes);
  const auto guessed = places([](double depth) { return depth == 1.0; });
  INFO(guessed.why);
  CHECK(guessed.state == ProtocolItem::State::kNo);
}

TEST_CASE("protocol: depths of a pair's first marker are no evidence at the start, middle and end") {
  fixture::Run run;
  run.manifest.suites = {{"order", "order_swap", "", 0.5, true, {16, 64}, {"binding"}}};
  run.manifest.settings = {fixture::setting("rope", 0, {"order"})};
  for (const int64_t length : {16, 64})
    fixture::add_probes(run.records, run.manifest.settings[0], "order", length, 30, 30);
  CHECK(item(summarise(run.manifest, run.records), "needle_depths").state == ProtocolItem::State::kNotAsked);
}

TEST_CASE("protocol: a run without pairs, needles or extension is not asked") {
  fixture::Run run;
  run.manifest.suites = {{"text", "text", "", std::nullopt, false, {16}, {}}};
  run.manifest.settings = {fixture::setting("rope", 0, {"text"})};
  Record r = fixture::record(run.manifest.settings[0], "text", 16, 0);
  r.nll = 1.0;
  const Summary s = summarise(run.manifest, std::vector<Record>{r});
  for (const char* key : {"needle_depths", "order_swap", "short_again", "grammar", "binding", "generation"})
    CHECK(item(s, key).state == ProtocolItem::State::kNotAsked);
}

TEST_CASE("verdict: what is proven, then the estimate and what is not refuted") {
  fixture::Run run;
  run.manifest.suites = {fixture::needle({16, 32, 64, 128})};
  for (const std::string variant : {"alibi", "plain"}) {
    run.manifest.settings.push_back(fixture::setting(variant, 0, {"needle"}));
    run.manifest.settings.back().scaled = false;
    const bool best = variant == "alibi";
    for (const auto& [length, right] :
         std::vector<std::pair<int64_t, int64_t>>{{16, 100}, {32, 100}, {64, best ? 98 : 88}, {128, best ? 88 : 40}})
      fixture::add_probes(run.records, run.manifest.settings.back(), "needle", length, 100, right);
  }
  const Summary s = summarise(run.manifest, run.records);
  const Claim& claim = s.verdict.front();
  CHECK(claim.tone == Claim::Tone::kGood);
  CHECK(claim.headline == "needle: alibi holds 0.85 up to length 64 (2x).");
  CHECK_THAT(claim.text, ContainsSubstring("Proven by the lower bound of the one seed, corrected for 2 variants."));
  CHECK_THAT(claim.text, ContainsSubstring("Proven of the others: plain up to 32."));
  CHECK_THAT(claim.text, ContainsSubstring("Point estimate: alibi >= 128, plain 64."));
  CHECK_THAT(claim.text, ContainsSubstring("Not refuted to: alibi >= 128, plain 64."));
  CHECK(s.effective_length[0].claimed == 64);
}

TEST_CASE("verdict: a length with probes that have no score ends what is held, and refutes nothing") {
  const auto run = fixture::full_run();
  const Summary s = summarise(run.manifest, run.records);
  for (const auto& e : s.effective_length)
    if (e.variant == "alibi" && e.suite == "needle") {
      CHECK(e.reason == "no score for 2 of 48 probes at 64");
      CHECK(e.text(e.point) == ">= 32");
    }
}

TEST_CASE("verdict: what scaling buys and costs, which seeds failed") {
  const auto run = fixture::full_run();
  const Summary s = summarise(run.manifest, run.records);
  CHECK(s.verdict.size() >= 3);
  CHECK(s.verdict.size() <= 6);
  std::string all;
  for (const auto& claim : s.verdict) all += claim.headline + " " + claim.text + "\n";
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
  CHECK_THAT(s.verdict.back().text, ContainsSubstring("One seed a variant"));
  CHECK(s.verdict.front().tone == Claim::Tone::kBad);  // refuted beyond training
}

}  // namespace
}  // namespace lw
