#include "harness/run/run.h"

#include <ATen/Parallel.h>
#include <torch/cuda.h>
#include <torch/version.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

#include "harness/base/files.h"
#include "harness/base/json_read.h"
#include "harness/base/log.h"
#include "harness/base/numbers.h"
#include "harness/base/parallel.h"
#include "harness/base/text.h"
#include "harness/measure/cost.h"
#include "harness/measure/setting_card.h"
#include "harness/results/provenance.h"
#include "harness/run/asked_suites.h"
#include "harness/run/evaluate_stage.h"
#include "harness/run/export_models.h"
#include "harness/run/models.h"
#include "harness/run/report_stage.h"
#include "harness/run/run_folder.h"
#include "harness/run/train_stage.h"
#include "reports/registry.h"
#include "reports/terminal.h"

namespace lw {
namespace {

class Stopwatch {
 public:
  explicit Stopwatch(Provenance& p) : provenance_(p) {}
  void lap(const std::string& stage) {
    const auto now = std::chrono::steady_clock::now();
    provenance_.seconds.emplace_back(stage, std::chrono::duration<double>(now - last_).count());
    last_ = now;
  }

 private:
  Provenance& provenance_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// As it was typed, for provenance.
std::string command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  while (!text.empty() && text.back() == '\0') text.pop_back();
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text;
}

int64_t thread_count(const RunOptions& o) {
  return o.threads > 0 ? o.threads : std::max<int64_t>(1, std::thread::hardware_concurrency());
}

/// Several jobs fill the cores better than one small model can, and sums are then formed in the same order whatever
/// --threads says.
void use_one_thread_a_job() { at::set_num_threads(1); }

/// The config, read and good to be worked on.
Experiment experiment_for(const RunOptions& o) {
  Experiment e = read_experiment(load_config(o));
  check_device(e.device);
  return e;
}

StageOptions stage_options(const RunOptions& o, const Experiment& e) { return {thread_count(o), e.device, o.fresh}; }

Manifest manifest_of(const Experiment& e, const Work& work, const std::vector<Training>& trainings,
                     const std::vector<std::vector<Record>>& gates, const Store& store) {
  Manifest m;
  m.name = e.name;
  m.command = "lengthwise run config.yaml";
  m.limit = e.limit;
  for (const auto& variant : e.variants) {
    const PositionCard card = position_card_of(variant.position, 0, variant.deployed_length());
    for (const int64_t seed : e.seeds) {
      SettingInfo s;
      s.id = setting_id(variant, seed);
      s.variant = variant.name;
      s.seed = seed;
      s.model = variant.model.summary();
      s.scheme = variant.position.scheme();
      s.scaling = variant.scaling();
      s.scaled = variant.scaled() && !variant.train.with_scaling;
      s.train_length = variant.train_length;
      if (variant.checkpoint) s.checkpoint = checkpoint_info(variant);
      for (const auto& job : work.evals) {
        if (job.setting != s.id) continue;
        s.trainings.push_back(trainings[job.weights]);
        if (job.gate) s.trainings.back().gates = gates_of(job, gates);
      }
      s.checks = check_models(work, s.id, store);
      s.position_yaml = to_yaml(variant.position.resolved());
      s.card = card;
      s.suites = asked_suites(work, s.id);
      m.settings.push_back(std::move(s));
    }
  }
  share_suites(m);
  return m;
}

void print_plan(const Experiment& e, const Work& work) {
  std::printf("%s: %zu variants x %zu seeds\n", e.name.c_str(), e.variants.size(), e.seeds.size());
  int64_t steps = 0, probes = 0;
  size_t to_train = 0;
  for (const auto& w : work.weights) {
    if (w.loaded()) continue;
    ++to_train;
    steps += w.variant->train.steps;
  }
  for (const auto& job : work.evals)
    for (const auto& unit : job.units) probes += unit.probes;
  std::printf("  to train: %zu models, %s steps\n", to_train, format_grouped(steps).c_str());
  for (const auto& w : work.weights) {
    std::vector<std::string> names;
    for (const size_t i : w.suites) names.push_back(w.variant->suites[i].name);
    if (w.loaded())
      std::printf("    loaded: %s\n", w.variant->checkpoint->source->name().c_str());
    else
      std::printf("    %s  %-28s on %s\n", w.key.substr(0, 12).c_str(), setting_id(*w.variant, w.seed).c_str(),
                  join(names).c_str());
  }
  std::printf("  to evaluate: %s probes\n", format_grouped(probes).c_str());
}

/// Counts of one attention layer at every evaluated length go into the manifest, what is measured into provenance.
void add_costs(const Experiment& e, Manifest& manifest, Provenance& provenance) {
  const auto work_of = [](int64_t length) { return double(length) * double(length); };
  int64_t layers = 0;
  double work = 0;
  for (const auto& variant : e.variants)
    for (const int64_t length : variant.evaluated_lengths()) {
      ++layers;
      work += work_of(length);
    }
  Progress progress("measuring what attention takes", layers, "layers", work);
  for (const auto& variant : e.variants) {
    const EvaluationCost cost = measure_evaluation(variant.position, variant.evaluated_lengths(),
                                                   [&](int64_t length) { progress.advance(1, work_of(length)); });
    provenance.attention_seconds.emplace_back(variant.name, cost.seconds);
    provenance.attention_resident_bytes.emplace_back(variant.name, cost.resident);
    for (auto& setting : manifest.settings)
      if (setting.variant == variant.name) setting.memory = cost.memory;
  }
  progress.finish();
}

/// What a user should know before hours of work, not after: of the config, and of a checkpoint's files.
void log_warnings(const Experiment& e) {
  for (const auto& warning : e.warnings()) log_warning(warning);
  std::set<const CheckpointSource*> seen;
  for (const auto& v : e.variants)
    if (v.checkpoint && seen.insert(v.checkpoint->source.get()).second)
      for (const auto& note : v.checkpoint->source->notes()) log_warning(v.checkpoint->source->name() + ": " + note);
}

void warn_unlearned(const Manifest& m) {
  for (const auto& s : m.settings)
    for (const auto& t : s.trainings)
      for (const auto& g : t.gates)
        if (!g.passed)
          log_detail(s.id + " did not learn " + g.suite + " inside its length: " + g.metric + " " +
                     format_fixed(g.value, 3) + ", needed " + format_number(g.bar));
}

}  // namespace

void check_device(const std::string& device) {
  if (device == "cuda" && !torch::cuda::is_available())
    throw Error(ErrorKind::kUnsupported,
                "model.device: found 'cuda', but this LibTorch sees no CUDA device; allowed here: cpu");
}

Tree load_config(const RunOptions& o) {
  Tree config = load_yaml(o.config, config_shape());
  for (const auto& set : o.sets) apply_set(config, set, config_shape());
  const Tree* model = config.find("model");
  const bool loaded = model != nullptr && model->is_map() && model->find("checkpoint") != nullptr;
  if (!o.dtype.empty()) apply_set(config, (loaded ? "model.dtype=" : "eval.dtype=") + o.dtype, config_shape());
  if (!o.device.empty()) apply_set(config, "model.device=" + o.device, config_shape());
  if (o.limit > 0) apply_set(config, text("limit=", o.limit), config_shape());
  return config;
}

int train_experiment(const RunOptions& o) {
  const Experiment e = experiment_for(o);
  const StageOptions options = stage_options(o, e);
  use_one_thread_a_job();
  log_warnings(e);
  const Work work = plan_work(e, e.limit.value_or(0));
  const Store store = open_store(out_folder(o.out, e.name));
  store.remove_leftovers();
  train_all(work, store, options);
  const auto gate_records = evaluate_all(work, work.gates, store, options, "gates");
  for (const auto& job : work.evals) {
    std::string gates;
    if (work.weights[job.weights].loaded()) continue;
    for (const auto& g : gates_of(job, gate_records))
      gates +=
          "  " + g.suite + " " + g.metric + " " + format_fixed(g.value, 3) + (g.passed ? " learnt" : " not learnt");
    std::printf("%-32s%s\n  %s\n", job.setting.c_str(), gates.c_str(),
                store.tensors(work.weights[job.weights].key).c_str());
  }
  if (!o.export_to.empty()) export_models(work, store, o.export_to);
  return 0;
}

int run_experiment(const RunOptions& o) {
  Provenance provenance{command_line(), now_utc(), TORCH_VERSION, "", thread_count(o), {}, {}, {}, {}, {}};
  Stopwatch watch(provenance);
  const Experiment e = experiment_for(o);
  provenance.device = e.device;
  const StageOptions options = stage_options(o, e);
  use_one_thread_a_job();
  const Work work = plan_work(e, e.limit.value_or(0));
  const auto out = out_folder(o.out, e.name);
  require_formats(e.formats);  // now, and not after hours of work
  if (o.dry_run) {
    check_out(out);
    log_warnings(e);
    print_plan(e, work);
    return 0;
  }
  const std::string config = to_yaml(e.resolved);
  open_run_folder(out, config, o.replace);
  log_detail("started: " + provenance.command);
  log_warnings(e);
  const Store store = open_store(out);
  store.remove_leftovers();
  watch.lap("plan");

  const auto trainings = train_all(work, store, options);
  watch.lap("train");
  const auto gates = evaluate_all(work, work.gates, store, options, "gates");
  auto records = evaluate_all(work, work.evals, store, options, "evaluating");
  watch.lap("evaluate");

  Manifest manifest = manifest_of(e, work, trainings, gates, store);
  manifest.config = sha256(config);
  add_costs(e, manifest, provenance);
  warn_unlearned(manifest);
  write_results(out, manifest, {e.bar, e.margin, {}}, std::move(records));
  const Summary summary = write_reports_of(out, e.formats);
  watch.lap("report");
  provenance.seeds = e.seeds;
  for (const auto& v : e.variants)
    if (v.checkpoint && !v.checkpoint->source->place().id.empty())
      provenance.hub_commits[v.checkpoint->source->place().id] = v.checkpoint->source->place().commit;
  write_provenance(out / "provenance.json", provenance);
  std::fputs(terminal_tables(summary, color_on_stdout()).c_str(), stdout);
  const bool html = std::find(e.formats.begin(), e.formats.end(), "html") != e.formats.end();
  std::printf("\nreport: %s\n", (out / (html ? "report.html" : "summary.json")).c_str());
  return 0;
}

}  // namespace lw
