#include "harness/run/work.h"

#include <set>

#include "harness/run/evaluate_stage.h"
#include "tests/catch_torch.h"

namespace lw::app_test {
namespace {

const std::string kBase = R"(
name: w
seeds: [0, 1]
train: {steps: 10}
suites: {order_swap: {}, needle: {}}
position: {scheme: rope}
)";

Experiment experiment(const std::string& more, const std::vector<std::string>& sets = {}) {
  Tree tree = merge(parse_yaml(kBase, "base"), parse_yaml(more.empty() ? "{}" : more, "more"), config_shape());
  for (const auto& set : sets) apply_set(tree, set, config_shape());
  return read_experiment(tree);
}

std::set<std::string> weight_keys(const Experiment& e) {
  std::set<std::string> keys;
  const Work work = plan_work(e, 0);
  for (const auto& w : work.weights) keys.insert(w.key);
  return keys;
}

}  // namespace

TEST_CASE("a sweep over scalings trains once; another scheme, seed or suite trains anew", "[app]") {
  const std::string sweep = R"(
sweep:
  - name: plain
  - {name: linear, position: {scaling: {rope_type: linear, factor: 4}}}
  - {name: yarn, position: {scaling: {rope_type: yarn, factor: 4}}}
)";
  const Experiment e = experiment(sweep);
  const Work work = plan_work(e, 0);
  CHECK(work.weights.size() == 4);  // 2 seeds x 2 suites
  CHECK(work.evals.size() == 12);   // 3 variants x 2 seeds x 2 suites
  CHECK(work.gates.size() == 4);
  CHECK(weight_keys(experiment(sweep, {"train.with_scaling=true"})).size() == 12);
  CHECK(plan_work(experiment("train: {models: joint}"), 0).weights.size() == 2);
  CHECK(weight_keys(experiment("sweep: [{name: a}, {name: b, position: {scheme: alibi}}]")).size() == 8);
}

TEST_CASE("weights are named by everything that shapes them and by nothing else", "[app]") {
  const auto plain = weight_keys(experiment(""));
  for (const char* same :
       {"eval.probes=4", "eval.lengths=[8, 16]", "train.gate.accuracy=0.5", "suites.needle.probes=6",
        "protocol.bar=0.5", "name=other", "eval.seed=9", "position.scaling={rope_type: ntk, alpha: 2}"}) {
    INFO(same);
    CHECK(weight_keys(experiment("", {same})) == plain);
  }
  for (const char* other :
       {"train.lr=0.002", "train.steps=11", "model.layers=3", "model.init_std=0.2", "train.length.max=31",
        "position.rope_theta=20000", "model.kind=encoder", "train.batch=16", "seeds=[2, 3]"}) {
    INFO(other);
    for (const auto& key : weight_keys(experiment("", {other}))) CHECK(plain.count(key) == 0);
  }
  // One suite's options leave the other suite's weights alone.
  const auto changed = weight_keys(experiment("", {"suites.needle.filler=9"}));
  int kept = 0;
  for (const auto& key : changed) kept += plain.count(key) != 0 ? 1 : 0;
  CHECK(kept == 2);
}

TEST_CASE("evaluated units are named by weights, position, probes and build", "[app]") {
  const auto keys = [](const Experiment& e) {
    std::set<std::string> out;
    const Work work = plan_work(e, 0);
    for (const auto& job : work.evals) out.insert(job.keys.begin(), job.keys.end());
    return out;
  };
  const auto plain = keys(experiment(""));
  CHECK(plain.size() == 2 * 2 * 5);
  CHECK(keys(experiment("", {"name=other"})) == plain);
  for (const char* other :
       {"position.scaling={rope_type: ntk, alpha: 2}", "eval.seed=1", "eval.probes=64", "eval.dtype=float64"}) {
    INFO(other);
    for (const auto& key : keys(experiment("", {other}))) CHECK(plain.count(key) == 0);
  }
  const auto more = keys(experiment("", {"eval.lengths=[16, 32, 64, 128, 256, 512]"}));
  for (const auto& key : plain) CHECK(more.count(key) == 1);
}

TEST_CASE("variants on the same weights are held to their own gates", "[app]") {
  const Experiment e = experiment(R"(
sweep:
  - {name: strict, train: {gate: {accuracy: 0.9}}}
  - {name: lax, train: {gate: {accuracy: 0.5}}}
  - {name: few, train: {gate: {accuracy: 0.5, probes: 8}}}
)");
  const Work work = plan_work(e, 0);
  CHECK(work.weights.size() == 4);  // 2 seeds x 2 suites: a gate shapes no weights
  CHECK(work.gates.size() == 8);    // evaluated on 256 probes and on 8
  std::vector<std::vector<Record>> records(work.gates.size());
  for (size_t i = 0; i < work.gates.size(); ++i)
    for (const auto& unit : work.gates[i].units)
      for (int64_t k = 0; k < 4; ++k) {
        Record r;
        r.suite = unit.suite_name;
        r.correct = k > 0;  // 3 of 4
        r.nll = 1.0;
        records[i].push_back(r);
      }
  for (const auto& job : work.evals) {
    const auto gates = gates_of(job, records);
    REQUIRE(gates.size() == 1);
    CHECK(gates[0].suite == job.units.front().suite_name);
    CHECK(gates[0].value == 0.75);
    CHECK(gates[0].bar == (job.variant->name == "strict" ? 0.9 : 0.5));
    CHECK(gates[0].passed == (job.variant->name != "strict"));
    CHECK(work.gates[job.gate.value()].units.front().probes == (job.variant->name == "few" ? 8 : 256));
  }
}

TEST_CASE("a limit keeps pairs whole", "[app]") {
  const Experiment e = experiment("");  // the work points into it
  const Work work = plan_work(e, 3);
  for (const auto& job : work.evals)
    for (const auto& unit : job.units) CHECK(unit.probes == (unit.suite_name == "order_swap" ? 4 : 3));
}

TEST_CASE("equal weights serve variants with other suites", "[app]") {
  const Experiment e = experiment("sweep: [{name: all}, {name: one, eval: {suites: [needle]}}]");
  const Work work = plan_work(e, 0);
  CHECK(work.weights.size() == 4);
  for (const auto& job : work.evals)
    for (const auto& unit : job.units)
      CHECK(work.weights[job.weights].description.find("name: " + unit.suite_name) != std::string::npos);
}

TEST_CASE("the resolved config reads back to the same experiment", "[app]") {
  const Experiment e =
      experiment("sweep: [{name: a}, {name: b, position: {scheme: t5}}, {axis: train.steps, values: [5, 6]}]");
  const Experiment again = read_experiment(e.resolved);
  CHECK(to_yaml(again.resolved) == to_yaml(e.resolved));
  CHECK(weight_keys(again) == weight_keys(e));
  REQUIRE(again.variants.size() == 4);
  CHECK(again.variants[3].name == "b steps=6");
}

}  // namespace lw::app_test
