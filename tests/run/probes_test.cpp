// The probes of an experiment: each named by its suite, length and index alone.
#include <map>
#include <set>

#include "harness/run/work.h"
#include "tests/catch_torch.h"

namespace lw::probes_test {
namespace {

const std::string kConfig = R"(
seeds: [0, 1]
eval: {lengths: [24, 48], probes: 6}
suites: {order_swap: , needle: , length: }
position: {scheme: none}
)";

Experiment with(const std::vector<std::string>& sets) {
  Tree tree = parse_yaml(kConfig, "c.yaml");
  for (const auto& s : sets) apply_set(tree, s, config_shape());
  return read_experiment(tree);
}

/// Probe id -> its tokens as people read them, over every setting; fails when two settings differ.
std::map<std::string, std::string> probes_of(const Experiment& e, bool gates = false) {
  std::map<std::string, std::string> out;
  const Work work = plan_work(e, 0);
  for (const auto& job : gates ? work.gates : work.evals) {
    for (const auto& unit : job.units) {
      for (const auto& p : make_probes(unit)) {
        std::string text;
        for (const Token t : p.tokens) text += unit.vocabulary->token_name(unit.vocabulary_part, t) + " ";
        const auto [at, fresh] = out.emplace(p.id, text);
        if (!fresh) CHECK(at->second == text);
      }
    }
  }
  return out;
}

}  // namespace

TEST_CASE("adding a length, a suite, a variant or a seed changes no other probe", "[app]") {
  const auto plain = probes_of(with({}));
  CHECK(plain.size() == 3 * 2 * 6);
  for (const std::vector<std::string>& sets :
       std::vector<std::vector<std::string>>{{"eval.lengths=[24, 32, 48, 96]"},
                                             {"eval.probes=20"},
                                             {"suites.before={kind: needle, keys: 9}"},
                                             {"train.models=joint"},
                                             {"seeds=[0, 1, 2, 3]"},
                                             {"position.scheme=alibi"},
                                             {"train.steps=7", "train.length.max=64"},
                                             {"sweep=[{name: a}, {name: b, position: {scheme: t5}}]"}}) {
    INFO(sets.front());
    const auto now = probes_of(with(sets));
    for (const auto& [id, text] : plain) {
      INFO(id);
      REQUIRE(now.count(id) == 1);
      CHECK(now.at(id) == text);
    }
  }
}

TEST_CASE("a suite's options, its name and the seed of evaluation change its probes", "[app]") {
  const auto plain = probes_of(with({}));
  for (const std::string set : {"eval.seed=1", "suites.needle.values=9"}) {
    const auto now = probes_of(with({set}));
    INFO(set);
    CHECK(now.at("needle/48/3") != plain.at("needle/48/3"));
  }
  const auto renamed = probes_of(with({"suites.other={kind: needle}"}));
  CHECK(renamed.at("other/48/3") != plain.at("needle/48/3"));
}

TEST_CASE("gates ask other probes than evaluation, at the training length", "[app]") {
  const Experiment e = with({"eval.lengths=[32]", "eval.probes=256", "train.length.max=32"});
  std::set<std::string> asked;
  for (const auto& [id, text] : probes_of(e)) asked.insert(text);
  const auto gates = probes_of(e, true);
  CHECK(gates.size() == 3 * 256);
  size_t shared = 0;
  for (const auto& [id, text] : gates) shared += asked.count(text);
  CHECK(shared == 0);
}

// The gate of a suite of far distances asks at the training length, where none of them fits.
TEST_CASE("distances beyond the training length can be asked", "[app]") {
  const Experiment e = with({"suites.needle={distances: [40, 100], lengths: [103, 200]}", "eval.suites=[needle]"});
  for (const auto& [id, text] : probes_of(e, true)) CHECK(id.rfind("needle/32/", 0) == 0);
  CHECK(probes_of(e).size() == 2 * 6);
}

}  // namespace lw::probes_test
