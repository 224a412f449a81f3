#include "harness/run/work.h"

#include <torch/version.h>

#include <algorithm>
#include <numeric>

#include "harness/base/files.h"
#include "harness/base/version.h"

namespace lw {
namespace {

/// Raise when training or scoring changes what it gives for the same config.
constexpr int kTrainingVersion = 2;
constexpr int kScoringVersion = 3;

std::string key_of(const Tree& description) { return sha256(to_yaml(description)).substr(0, 32); }
Tree word(const std::string& text) { return Tree::scalar(text, true); }
Tree whole(int64_t value) { return Tree::scalar(std::to_string(value)); }

/// Everything that shapes weights that are trained here.
Tree weights_description(const Variant& v, const std::vector<size_t>& suites, int64_t seed, const std::string& device) {
  Tree train = v.train_tree;
  for (const char* key : {"gate", "models", "with_scaling"}) train.erase(key);  // they do not shape the weights
  Tree model = v.model_tree;
  model.erase("device");  // said below, as --device may have chosen it
  Tree list = Tree::list();
  for (const size_t i : suites) {
    Tree item = Tree::map();
    item.set("name", word(v.suites[i].name));  // names the training stream
    item.set("options", word(v.suites[i].identity));
    list.items.push_back(std::move(item));
  }
  Tree out = Tree::map();
  out.set("training_version", whole(kTrainingVersion));
  out.set("torch", word(TORCH_VERSION));
  out.set("device", word(device));
  out.set("seed", whole(seed));
  out.set("model", std::move(model));
  out.set("position", v.trained_position().resolved());
  out.set("train", std::move(train));
  out.set("suites", std::move(list));
  return out;
}

Tree checkpoint_description(const Variant& v) {
  Tree out = Tree::map();
  out.set("torch", word(TORCH_VERSION));
  out.set("checkpoint", word(v.checkpoint->source->sha256()));
  return out;
}

/// Which words of a tokenizer a suite uses depends on the suites beside it.
std::string symbols_hash(const Vocabulary& vocabulary) {
  std::string all = std::to_string(vocabulary.ask) + ' ' + std::to_string(vocabulary.begin.value_or(-1));
  for (const Token t : vocabulary.symbols) all += ' ' + std::to_string(t);
  return sha256(all);
}

std::string unit_key(const std::string& weights, const PositionSetting& position, const EvalConfig& eval,
                     const SuitePlan& suite, const EvalUnit& unit, const std::string& purpose,
                     const std::string& device) {
  Tree out = Tree::map();
  out.set("scoring_version", whole(kScoringVersion));
  out.set("build", word(build_id()));
  out.set("weights", word(weights));
  out.set("position", position.resolved());
  out.set("train_length", whole(unit.train_length));
  out.set("suite", word(suite.name + "\n" + suite.identity + suite.suite->content_key()));
  if (unit.vocabulary->of(unit.vocabulary_part).text != nullptr)
    out.set("symbols", word(symbols_hash(unit.vocabulary->of(unit.vocabulary_part))));
  out.set("length", whole(unit.length));
  out.set("probes", whole(unit.probes));
  out.set("purpose", word(purpose));
  out.set("probe_seed", whole(eval.seed));
  out.set("dtype", word(eval.dtype));
  out.set("device", word(device));
  return key_of(out);
}

class Planner {
 public:
  Planner(const Experiment& experiment, int64_t limit)
      : experiment_(experiment), device_(experiment.device), limit_(limit) {}

  Work plan() {
    for (const auto& variant : experiment_.variants)
      for (const int64_t seed : experiment_.seeds)
        for (const auto& together : suite_groups(variant)) add_setting(variant, seed, together);
    return std::move(work_);
  }

 private:
  /// Which suites share one model.
  static std::vector<std::vector<size_t>> suite_groups(const Variant& v) {
    std::vector<size_t> all(v.suites.size());
    std::iota(all.begin(), all.end(), size_t{0});
    if (v.train.joint || v.checkpoint) return {all};
    std::vector<std::vector<size_t>> out;
    for (const size_t i : all) out.push_back({i});
    return out;
  }

  size_t weights_for(const Variant& v, int64_t seed, const std::vector<size_t>& together) {
    const Tree description = v.checkpoint ? checkpoint_description(v) : weights_description(v, together, seed, device_);
    const std::string key = key_of(description);
    for (size_t i = 0; i < work_.weights.size(); ++i)
      if (work_.weights[i].key == key) return i;
    std::vector<const Suite*> suites;
    for (const size_t i : together) suites.push_back(v.suites[i].suite.get());
    work_.weights.push_back({key, &v, together,
                             v.checkpoint ? nullptr : std::make_shared<VocabularyPlan>(suites, v.model.begin_token),
                             seed, to_yaml(description)});
    return work_.weights.size() - 1;
  }

  EvalUnit unit_for(const Variant& v, int64_t seed, size_t weights, size_t part, size_t suite,
                    const std::string& purpose) const {
    const WeightsJob& w = work_.weights[weights];
    EvalUnit unit;
    const SuitePlan& plan = v.suites[suite];
    unit.suite_name = plan.name;
    unit.vocabulary = v.checkpoint ? v.vocabulary.get() : w.vocabulary.get();
    unit.suite = plan.bound ? plan.bound : plan.suite->bind(unit.vocabulary->of(part), {});
    unit.vocabulary_part = part;
    unit.train_length = v.train_length;
    unit.width = v.model.width;
    unit.stream = Rng(static_cast<uint64_t>(v.eval.seed)).stream(purpose).stream(plan.name);
    unit.setting = setting_id(v, seed);
    unit.seed = seed;
    unit.device = device_;
    return unit;
  }

  /// Variants on the same weights may ask for other bars or numbers of probes; equal gates are evaluated once.
  size_t gate_for(const Variant& v, int64_t seed, size_t weights, const std::vector<size_t>& together) {
    EvalJob job{setting_id(v, seed), &v, seed, weights, {}, {}, true, std::nullopt};
    const WeightsJob& w = work_.weights[weights];
    for (size_t part = 0; part < together.size(); ++part) {
      const SuitePlan& plan = v.suites[together[part]];
      EvalUnit unit = unit_for(v, seed, weights, part, together[part], "gate");
      unit.length = v.train_length;
      unit.probes = plan.suite->pairs() ? (v.train.gate_probes + 1) / 2 * 2 : v.train.gate_probes;
      job.keys.push_back(unit_key(w.key, v.trained_position(), v.eval, plan, unit, "gate", device_));
      job.units.push_back(std::move(unit));
    }
    for (size_t i = 0; i < work_.gates.size(); ++i)
      if (work_.gates[i].keys == job.keys) return i;
    work_.gates.push_back(std::move(job));
    return work_.gates.size() - 1;
  }

  void add_setting(const Variant& v, int64_t seed, const std::vector<size_t>& together) {
    const size_t weights = weights_for(v, seed, together);
    EvalJob job{setting_id(v, seed), &v, seed, weights, {}, {}, false, std::nullopt};
    if (!v.checkpoint) job.gate = gate_for(v, seed, weights, together);
    for (size_t part = 0; part < together.size(); ++part) {
      const SuitePlan& plan = v.suites[together[part]];
      for (const int64_t length : plan.lengths) {
        EvalUnit unit = unit_for(v, seed, weights, part, together[part], "eval");
        unit.length = length;
        unit.probes =
            limit_ > 0 ? std::min(plan.probes, plan.suite->pairs() ? (limit_ + 1) / 2 * 2 : limit_) : plan.probes;
        job.keys.push_back(unit_key(work_.weights[weights].key, v.position, v.eval, plan, unit, "eval", device_));
        job.units.push_back(std::move(unit));
      }
    }
    work_.evals.push_back(std::move(job));
  }

  const Experiment& experiment_;
  std::string device_;
  int64_t limit_;
  Work work_;
};

}  // namespace

std::string setting_id(const Variant& variant, int64_t seed) { return variant.name + "/s" + std::to_string(seed); }

Work plan_work(const Experiment& experiment, int64_t limit) { return Planner(experiment, limit).plan(); }

}  // namespace lw
