// lm-eval/VARIANT.json: scores in the layout of the result files of EleutherAI's lm-evaluation-harness (0.4), so that
// its tools read them. A task is a suite at one length: no number mixes lengths.
#include <algorithm>
#include <set>

#include "harness/base/printable.h"
#include "harness/base/text.h"
#include "harness/results/field_json.h"
#include "reports/figures/figures.h"
#include "reports/pooled.h"
#include "reports/registry.h"
#include "reports/statistics/intervals.h"

namespace lw {
namespace {

constexpr const char* kFilter = ",none";  // lm-eval names a filter of answers behind each metric; here is none
constexpr const char* kStderrWords =
    "half the width of the report's two-sided 95 % interval, over 1.96; absent without an interval";

/// The name that lm-eval gives the same metric.
std::string lm_eval_name(const Metric& metric) { return metric.name == "accuracy" ? "acc" : std::string(metric.name); }

/// "lengthwise_order_swap_256".
std::string task_name(const std::string& suite, int64_t length) {
  std::string name = slug(suite);
  std::replace(name.begin(), name.end(), '-', '_');
  return text("lengthwise_", name, "_", length);
}

/// The reason that a metric has no number that a claim may rest on.
std::string hole_words(const Pooled& p) {
  if (!p.value) return visible(p.reason);
  return visible(text(p.n_total - p.n_scored, " of ", p.n_total, " probes without a score: ", p.unscored));
}

/// What stands behind a number, for those who look beyond the table.
Json number_json(const Pooled& p) {
  return Json{{"name", p.metric},
              {"low", fields_to_json(p.low)},
              {"high", fields_to_json(p.high)},
              {"interval", p.interval},
              {"n", p.n},
              {"seeds_measured", p.seeds_measured},
              {"chance", fields_to_json(p.chance)},
              {"baselines", fields_to_json(p.baselines)}};
}

/// One task, in the parts in which a result file holds it.
struct LmEvalTask {
  Json result = Json::object(), higher_is_better = Json::object(), numbers = Json::object(), holes = Json::object();
  int64_t planned = 0, scored = 0;  // probes of the main metric
  const Pooled* first = nullptr;

  void add(const Metric& metric, const Pooled& p) {
    const std::string name = lm_eval_name(metric);
    if (first == nullptr) first = &p, planned = p.n_total, scored = p.n_scored;
    higher_is_better[name] = metric.better == Better::kHigher;
    if (!complete(p)) {
      holes[name] = hole_words(p);
      return;
    }
    result[name + kFilter] = *p.value;
    if (p.low && p.high) result[name + "_stderr" + kFilter] = (*p.high - *p.low) / (2 * kZ95);
    numbers[name] = number_json(p);
  }
};

Json config_json(const View& view, const std::string& variant, const SuiteMeta& suite, const LmEvalTask& task) {
  const Pooled& p = *task.first;
  return Json{{"description", visible(suite.summary)},
              {"num_fewshot", 0},
              {"metadata",
               {{"version", Summary::kSchema},
                {"suite", suite.name},
                {"kind", suite.kind},
                {"length", p.length},
                {"train_length", view.train_length(variant)},
                {"in_length", p.in_length},
                {"seeds_total", p.seeds_total},
                {"seeds_learned", p.seeds_learned},
                {"values", "means over learned seeds"},
                {"stderr", kStderrWords},
                {"metrics", task.numbers},
                {"missing", task.holes}}}};
}

/// Sections whose keys are tasks.
struct LmEvalFile {
  Json results = Json::object(), groups = Json::object(), configs = Json::object(), versions = Json::object(),
       n_shot = Json::object(), higher_is_better = Json::object(), n_samples = Json::object();
  std::set<std::string> names = {};

  void add(const View& view, const std::string& variant, const SuiteMeta& suite, int64_t length) {
    LmEvalTask task;
    task.result["alias"] = text(visible(suite.name), " ", length);
    for (const Metric* metric : view.shown_metrics(suite.name))
      if (const Pooled* p = view.at(variant, suite.name, *metric, length)) task.add(*metric, *p);
    if (task.first == nullptr) return;  // the variant leaves the suite out
    const std::string name = untaken(task_name(suite.name, length), names);
    results[name] = task.result;
    groups[name] = Json::array();
    configs[name] = config_json(view, variant, suite, task);
    configs[name]["task"] = name;
    versions[name] = Summary::kSchema;
    n_shot[name] = 0;
    higher_is_better[name] = task.higher_is_better;
    n_samples[name] = {{"original", task.planned}, {"effective", task.scored}};
  }
};

std::string lm_eval_json(const View& view, const std::string& variant) {
  const Manifest& manifest = view.summary().manifest;
  LmEvalFile file;
  for (const auto& suite : manifest.suites)
    for (const int64_t length : view.lengths(suite.name)) file.add(view, variant, suite, length);
  const SettingInfo& setting = view.setting(variant);
  const Json json{
      {"results", file.results},
      {"group_subtasks", file.groups},
      {"configs", file.configs},
      {"versions", file.versions},
      {"n-shot", file.n_shot},
      {"higher_is_better", file.higher_is_better},
      {"n-samples", file.n_samples},
      {"config",
       {{"model", "lengthwise"},
        {"model_args", visible(text("scheme=", setting.scheme, ",scaling=", setting.scaling))},
        {"limit", fields_to_json(manifest.limit)}}},
      {"model_name", visible(variant)},
      {"model_source", "lengthwise"},
      {"lengthwise", {{"run", visible(manifest.name)}, {"config_sha256", manifest.config}}},
  };
  return json.dump(2) + "\n";
}

}  // namespace

std::vector<ReportFile> make_lm_eval_report(const Summary& s, std::span<const Record> /*records*/) {
  const View view(s);
  std::set<std::string> names;
  std::vector<ReportFile> files;
  for (const auto& variant : view.variants())
    files.push_back({"lm-eval/" + untaken(slug(variant), names) + ".json", lm_eval_json(view, variant)});
  return files;
}

}  // namespace lw
