#include "harness/run/evaluate_stage.h"

#include <algorithm>
#include <iterator>

#include "encodings/tensor.h"
#include "harness/base/log.h"
#include "harness/base/parallel.h"
#include "harness/base/text.h"
#include "harness/model/model.h"
#include "harness/model/transformer.h"
#include "harness/run/loaded_models.h"
#include "harness/run/models.h"
#include "reports/metrics/metric.h"

namespace lw {
namespace {

/// Records by job and unit, as they are found in the store or made.
class EvaluateStage {
 public:
  EvaluateStage(const Work& work, const std::vector<EvalJob>& jobs, const Store& store, const StageOptions& options)
      : work_(work), jobs_(jobs), store_(store), options_(options) {
    for (const auto& job : jobs) {
      auto& units = found_.emplace_back(job.units.size());
      for (size_t u = 0; u < units.size(); ++u)
        if (!options.fresh) units[u] = cached(job, u);
    }
  }

  /// Probes without a record.
  struct Lack {
    int64_t probes = 0;
    double work = 0;
  };

  Lack lacking() const {
    Lack out;
    for (size_t j = 0; j < jobs_.size(); ++j)
      for (const size_t u : missing(j)) {
        out.probes += jobs_[j].units[u].probes;
        out.work += work_in(j, u);
      }
    return out;
  }

  void run(Progress& progress) {
    std::vector<size_t> trained;
    std::vector<LoadedJob> loaded;
    for (size_t j = 0; j < jobs_.size(); ++j) {
      if (missing(j).empty()) continue;
      if (work_.weights[jobs_[j].weights].loaded())
        loaded.push_back({j, &jobs_[j], missing(j)});
      else
        trained.push_back(j);
    }
    run_jobs(static_cast<int64_t>(trained.size()), options_.threads,
             [&](int64_t i) { evaluate_trained(trained[static_cast<size_t>(i)], progress); });
    evaluate_loaded(
        loaded, options_.device, options_.threads,
        [&](size_t j, size_t unit, std::vector<Record> records) { keep(j, unit, std::move(records)); },
        [&](int64_t n, double work) { progress.advance(n, work); });
  }

  /// All of them, in order of jobs and units.
  std::vector<std::vector<Record>> take() {
    std::vector<std::vector<Record>> out(jobs_.size());
    for (size_t j = 0; j < jobs_.size(); ++j)
      for (auto& unit : found_[j])
        out[j].insert(out[j].end(), std::make_move_iterator(unit.begin()), std::make_move_iterator(unit.end()));
    return out;
  }

 private:
  std::vector<Record> cached(const EvalJob& job, size_t u) const {
    return store_.find(job.keys[u], job.units[u].probes, job.setting, job.seed).value_or(std::vector<Record>());
  }

  std::vector<size_t> missing(size_t j) const {
    std::vector<size_t> out;
    for (size_t u = 0; u < found_[j].size(); ++u)
      if (found_[j][u].empty()) out.push_back(u);
    return out;
  }

  double work_in(size_t j, size_t u) const {
    const EvalUnit& unit = jobs_[j].units[u];
    return double(unit.probes) * pass_work(unit.length, jobs_[j].variant->model.width);
  }

  void keep(size_t j, size_t u, std::vector<Record> records) {
    const EvalJob& job = jobs_[j];
    store_.put({job.keys[u], text(job.units[u].suite_name, " at ", job.units[u].length, " tokens for ", job.setting,
                                  job.is_gate ? ", for its gate" : "")},
               records);
    found_[j][u] = std::move(records);
  }

  void evaluate_trained(size_t j, Progress& progress) {
    const EvalJob& job = jobs_[j];
    auto transformer = load_model(work_, job, store_);
    transformer->to(at::Device(options_.device), job.variant->eval.dtype == "float64" ? at::kDouble : at::kFloat);
    const auto model = make_model(transformer, VocabularyPlan::kMask);
    for (const size_t u : missing(j)) {
      keep(j, u, evaluate(*model, job.units[u], throw_if_interrupted));
      progress.advance(job.units[u].probes, work_in(j, u));
    }
  }

  const Work& work_;
  const std::vector<EvalJob>& jobs_;
  const Store& store_;
  const StageOptions& options_;
  std::vector<std::vector<std::vector<Record>>> found_;
};

Gate gate_for(const SuitePlan& plan, const TrainConfig& train, const std::vector<Record>& records) {
  const bool answers = plan.suite->chance().has_value();
  const Metric& m = metric(answers ? "accuracy" : "excess_nll");
  std::vector<const Record*> scored;
  for (const auto& r : records)
    if (r.suite == plan.name && r.status == Status::kScored) scored.push_back(&r);
  double sum = 0, weight = 0;
  for (const Observation& o : m.observe(scored)) sum += o.value * o.weight, weight += o.weight;
  Gate gate;
  gate.suite = plan.name;
  gate.metric = m.name;
  gate.n = std::ssize(scored);
  gate.bar = answers ? train.gate_accuracy : train.gate_excess_nll;
  if (weight > 0) gate.value = sum / weight;
  const bool reached = m.better == Better::kHigher ? gate.value >= gate.bar : gate.value <= gate.bar;
  gate.passed = weight > 0 && reached;
  return gate;
}

}  // namespace

std::vector<std::vector<Record>> evaluate_all(const Work& work, const std::vector<EvalJob>& jobs, const Store& store,
                                              const StageOptions& options, const std::string& title) {
  EvaluateStage stage(work, jobs, store, options);
  if (const auto [probes, amount] = stage.lacking(); probes > 0) {
    Progress progress(title, probes, "probes", amount);
    stage.run(progress);
    progress.finish();
  }
  return stage.take();
}

std::vector<Gate> gates_of(const EvalJob& job, const std::vector<std::vector<Record>>& records) {
  std::vector<Gate> gates;
  for (const auto& plan : job.variant->suites) {
    const bool asked = std::any_of(job.units.begin(), job.units.end(),
                                   [&](const EvalUnit& unit) { return unit.suite_name == plan.name; });
    if (asked) gates.push_back(gate_for(plan, job.variant->train, records[*job.gate]));
  }
  return gates;
}

}  // namespace lw
