// All checks on what is built in, and what becomes of their findings: verdicts, exit codes, text and JSON.
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "encodings/registry.h"
#include "encodings/rope_scaling/rope_scaling.h"
#include "harness/experiment/experiment.h"
#include "harness/selfcheck/check.h"
#include "harness/selfcheck/outcome_text.h"
#include "tests/catch_torch.h"

namespace lw::selfcheck_test {
namespace {

const SelfCheck kMachineCheck{"machine", "a, and b", "largest difference", Concerns::kMachine, nullptr};
const SelfCheck kCardCheck{"card", "c, and d", "declarations", Concerns::kCard, nullptr};

Finding found(std::optional<double> measured, double bound) {
  Finding f;
  f.measured = measured, f.bound = bound, f.where = "rope", f.compared = 2, f.unit = "setting";
  return f;
}

int code_of(const std::vector<CheckedItem>& items) { return exit_code_of(items); }

Experiment sweep_of(size_t variants) {
  std::string config = "name: x\nmodel: {layers: 1, width: 16, heads: 2}\nsweep:\n";
  for (size_t i = 0; i < variants; ++i) {
    const std::string n = std::to_string(i);
    config += "  - {name: v" + n + ", position: {scheme: rope, rope_theta: 1000" + n + "}}\n";
  }
  return read_experiment(
      parse_yaml(config + "  - {name: again, position: {scheme: rope, rope_theta: 10000}}\n", "test"), ReadFor::kCard);
}

Finding throws(std::span<const Subject>) { throw std::runtime_error("no such kernel\nat line 3"); }

}  // namespace

TEST_CASE("every check holds here, on every scheme and scaling", "[selfcheck][slow]") {
  const Subjects subjects = built_in_subjects();
  CHECK(subjects.all.size() == encodings().size() + rope_scalings().size() - 1 + 1);  // rope stands twice; an encoder
  const auto items = run_self_checks(self_checks(), subjects.all, [] {});
  REQUIRE(items.size() >= 15);
  std::set<std::string_view> names;
  for (const auto& item : items) {
    INFO(item.check->name << ": " << item.finding.where << item.finding.fault);
    CHECK(item.finding.holds());
    CHECK(item.finding.compared > 0);
    CHECK(names.insert(item.check->name).second);
  }
  CHECK(code_of(items) == 0);
}

TEST_CASE("a finding fails when it is above its bound or no number", "[selfcheck]") {
  Deviations good(0.5, "setting"), bad(0.5, "setting"), lost(0.5, "setting");
  good.add(0.1, "a"), good.add(0.5, "b"), good.add(0.2, "c");
  CHECK(good.finding().holds());
  CHECK(good.finding().where == "b");
  bad.add(0.1, "a"), bad.add(0.6, "b");
  CHECK(bad.finding().fails());
  lost.add(std::nan(""), "a"), lost.add(0.1, "b");
  CHECK(lost.finding().fails());
  CHECK(lost.finding().where == "a");
  const Finding none = Deviations(0.5, "setting").finding();
  CHECK_FALSE(none.holds());
  CHECK_FALSE(none.fails());
}

TEST_CASE("exit codes: the machine comes before the cards", "[selfcheck]") {
  const CheckedItem good{&kMachineCheck, found(0.0, 0)}, broken{&kMachineCheck, found(1.0, 0)},
      disagrees{&kCardCheck, found(1.0, 0)}, empty{&kMachineCheck, found({}, 0)};
  CHECK(code_of({good, empty}) == 0);
  CHECK(code_of({good, disagrees}) == 3);
  CHECK(code_of({disagrees, broken}) == 1);
  CHECK(verdict_of(good) == "ok");
  CHECK(verdict_of(broken) == "FAILED");
  CHECK(verdict_of(disagrees) == "disagrees");
  CHECK(verdict_of(empty) == "not compared");
}

TEST_CASE("a check that ends with an error has failed, whatever it concerns", "[selfcheck]") {
  const SelfCheck check{"throws", "x", "y", Concerns::kCard, throws};
  const SelfCheck* const checks[] = {&check};
  const auto items = run_self_checks(checks, {}, [] {});
  CHECK(items.at(0).finding.fault == "no such kernel");
  CHECK(verdict_of(items.at(0)) == "FAILED");
  CHECK(exit_code_of(items) == 1);
  CHECK(outcome_text(items, {}, false).find("throws FAILED: ended with: no such kernel") != std::string::npos);
}

TEST_CASE("text and JSON say what failed, by how much, where, and what was left out", "[selfcheck]") {
  Finding broken = found(std::numeric_limits<double>::infinity(), 1e-12);
  broken.left_out = {{"t5", "it is not"}, {"alibi", "it is not"}};
  const std::vector<CheckedItem> items = {{&kMachineCheck, broken}, {&kCardCheck, found(0.0, 0)}};
  const std::string text = outcome_text(items, {"Only 8 tokens."}, false);
  for (const char* part : {"machine  a, and b", "inf", "1.0e-12  FAILED", "2 settings; not t5, alibi: it is not.",
                           "Only 8 tokens.", "largest difference: inf where 1.0e-12 is allowed; the worst: rope",
                           "2 checks: 1 failed: do not trust numbers that are made here.\n"}) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  }
  const auto json = nlohmann::json::parse(outcome_json(items, {"Only 8 tokens."}).dump());
  CHECK(json["exit_code"] == 1);
  CHECK(json["bounds"][0] == "Only 8 tokens.");
  CHECK(json["checks"][0]["measured"].is_null());
  CHECK(json["checks"][0]["where"] == "rope");
  CHECK(json["checks"][0]["left_out"][1]["name"] == "alibi");
  CHECK(json["checks"][1]["measured"] == 0);
  CHECK(json["checks"][1]["verdict"] == "ok");
}

TEST_CASE("variants of a config: equal ones once, too many by name", "[selfcheck]") {
  const Experiment few = sweep_of(3), many = sweep_of(kMostSubjects + 2);
  CHECK(subjects_of(few, false).all.size() == 3);
  const Subjects bounded = subjects_of(many, false);
  CHECK(bounded.all.size() == kMostSubjects);
  CHECK(bounded.bounds.back() == "The first 32 variants are checked. Left out, but for --all: v32, v33.");
  CHECK(subjects_of(many, true).all.size() == kMostSubjects + 2);
}

TEST_CASE("a model too large for seconds is cut, and the text says so", "[selfcheck]") {
  const Experiment e = read_experiment(
      parse_yaml("{name: x, model: {layers: 12, width: 768, heads: 12}, position: {scheme: rope}}", "test"),
      ReadFor::kCard);
  const Subjects subjects = subjects_of(e, false);
  CHECK(subjects.all.at(0).model.layers == 2);
  CHECK(subjects.all.at(0).tokens == 8);
  CHECK(subjects.bounds.back().starts_with("Only 2 of their layers: "));
}

}  // namespace lw::selfcheck_test
