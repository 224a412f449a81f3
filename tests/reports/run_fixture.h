// Small runs made by hand for the tests of reports.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/results/manifest.h"
#include "harness/results/record.h"

namespace lw::fixture {

inline PositionCard card(const std::string& scheme) {
  PositionCard card;
  card.scheme = scheme;
  card.applies_to = {"query", "key"};
  card.cache = "rotated";
  card.shift_invariant = {true, true, 1e-12, {}};
  card.input_touched = card.value_touched = {false, false, {}, {}};
  card.cache_valid = CardProperty{true, true, 0.0, {}};
  card.facts = {{"layout", "half", {}}, {"rope_theta", "", {10000}}, {"wavelengths", "", {6.25, 62.5, 625}, true}};
  card.unfinished = UnfinishedPairs{32, {1, 2}, 64, {2}};
  card.claims = {{"neighbours_distinct", "neighbouring positions have different codes", true, 0.258, "smallest gap"},
                 {"codes_unique", "no two positions have the same code", {}, {}, "not a code"}};
  card.position_numbering = "0, 1, 2, ...";
  return card;
}

/// A setting with one training that covers `suites`; it passed a gate of accuracy on each unless listed as failed.
inline SettingInfo setting(const std::string& variant, int64_t seed, const std::vector<std::string>& suites,
                           const std::vector<std::string>& failed = {}) {
  SettingInfo s;
  s.id = variant + "/s" + std::to_string(seed);
  s.variant = variant;
  s.seed = seed;
  s.model = "decoder, 2 layers";
  s.scheme = variant.substr(0, variant.find('-'));
  s.scaling = variant == s.scheme ? "none" : variant.substr(s.scheme.size() + 1);
  s.scaled = variant != s.scheme;
  s.train_length = 32;
  s.position_yaml = "scheme: " + s.scheme + "\n";
  s.card = card(s.scheme);
  Training t;
  t.suites = suites;
  t.weights = s.scheme + "#" + std::to_string(seed);
  t.parameters = 1000;
  t.steps = 400;
  for (const auto& suite : suites) {
    bool passed = true;
    for (const auto& name : failed) passed = passed && name != suite;
    t.gates.push_back({suite, "accuracy", passed ? 0.99 : 0.4, 0.9, passed, 64});
  }
  t.loss = {{0, 4.0}, {200, 1.5}, {400, 0.25}};
  s.trainings = {t};
  return s;
}

inline Record record(const SettingInfo& setting, const std::string& suite, int64_t length, int64_t index) {
  Record r;
  r.id = suite + "/" + std::to_string(length) + "/" + std::to_string(index);
  r.suite = suite;
  r.setting = setting.id;
  r.seed = setting.seed;
  r.length = length;
  r.prompt_tokens = length - 1;
  r.answer_budget = 1;
  r.in_length = length <= setting.train_length;
  r.query_offset = length - 2;
  r.prompt_hash = "hash of " + r.id;
  return r;
}

inline Record& scored(Record& r, bool right, double nll = 0.5) {
  r.correct = right;
  r.correct_free = right;
  r.nll = nll;
  r.gold = "A";
  r.answer = right ? "A" : "B";
  r.targets = {{r.length - 1, r.distance, nll, right}};
  return r;
}

inline Record& unscored(Record& r, Status status, const std::string& reason) {
  r.status = status;
  r.reason = reason;
  return r;
}

/// `right` of `n` probes right, at depths and distances that go round.
inline void add_probes(std::vector<Record>& records, const SettingInfo& setting, const std::string& suite,
                       int64_t length, int64_t n, int64_t right) {
  for (int64_t i = 0; i < n; ++i) {
    Record r = record(setting, suite, length, i);
    r.depth = static_cast<double>(i % 3) / 2;
    r.distance = 2 + (length - 6) * (2 - i % 3) / 2;
    r.baselines = {{"last", i % 4 == 0 ? 1.0 : 0.0}};
    records.push_back(scored(r, i < right, i < right ? 0.1 : 2.0));
  }
}

inline SuiteMeta needle(const std::vector<int64_t>& lengths) {
  return {"needle", "needle", "one-hop needle", 0.25, false, lengths, {"retrieval"}};
}

struct Run {
  Manifest manifest;
  std::vector<Record> records;
};

/// Three schemes, one scaling, three seeds; every status, a failed gate, pairs and a likelihood suite.
inline Run full_run() {
  Run run;
  const std::vector<int64_t> lengths = {16, 32, 64};
  run.manifest.name = "fixture";
  run.manifest.command = "lengthwise run fixture.yaml";
  run.manifest.suites = {needle(lengths),
                         {"order", "order", "which came first", 0.5, true, lengths, {"binding"}},
                         {"chain", "markov", "in-context bigrams", std::nullopt, false, lengths, {"grammar"}}};
  const std::vector<std::string> suites = {"needle", "order", "chain"};
  for (const std::string variant : {"rope", "alibi", "learned", "rope-linear-4"})
    for (int64_t seed = 0; seed < 3; ++seed) {
      const bool fails = variant == "alibi" && seed == 2;
      const SettingInfo s =
          setting(variant, seed, suites, fails ? std::vector<std::string>{"needle"} : std::vector<std::string>{});
      run.manifest.settings.push_back(s);
      for (const int64_t length : lengths) {
        const bool beyond = length > 32;
        if (variant == "learned" && beyond) {
          for (const auto& suite : suites)
            for (int64_t i = 0; i < 24; ++i) {
              Record r = record(s, suite, length, i);
              run.records.push_back(unscored(r, Status::kNoPosition, "no vector for position 32 (table holds 32)"));
            }
          continue;
        }
        const int64_t base = variant == "rope" ? 10 : 22;
        add_probes(run.records, s, "needle", length, 24,
                   fails                        ? 6
                   : beyond                     ? base + seed
                   : variant == "rope-linear-4" ? 18
                                                : 24);
        if (variant == "alibi" && beyond) {
          unscored(run.records.back() = record(s, "needle", length, 23), Status::kFailed, "logits not finite");
        }
        for (int64_t i = 0; i < 24; ++i) {
          Record r = record(s, "order", length, i);
          r.group = "order/" + std::to_string(length) + "/pair" + std::to_string(i / 2);
          r.distance = std::min(4 + 2 * (i / 2), length - 3);
          scored(r, !beyond || i % 4 != 1);
          r.gold = i % 2 == 0 ? "A" : "B";
          r.answer = *r.correct ? r.gold : "A";
          run.records.push_back(r);
        }
        for (int64_t i = 0; i < 12; ++i) {
          Record r = record(s, "chain", length, i);
          r.group = r.id;
          double sum = 0;
          for (int64_t offset = 1; offset < length; offset *= 2) {
            const double nll = 1.25 + 1.0 / static_cast<double>(offset) + 0.01 * static_cast<double>(i) +
                               (beyond && variant == "rope" ? 0.5 : 0);
            r.targets.push_back({offset, offset, nll, std::nullopt});
            sum += nll;
          }
          r.nll = sum / static_cast<double>(r.targets.size());
          r.baselines = {{"ideal_nll", 1.25}};
          run.records.push_back(r);
        }
      }
    }
  return run;
}

}  // namespace lw::fixture
