#include "harness/run/train_stage.h"

#include <algorithm>

#include "encodings/tensor.h"
#include "harness/base/log.h"
#include "harness/base/numbers.h"
#include "harness/base/parallel.h"
#include "harness/base/text.h"
#include "harness/checkpoint/weights.h"
#include "harness/formats/container.h"
#include "harness/model/transformer.h"
#include "harness/run/models.h"
#include "harness/train/trainer.h"

namespace lw {
namespace {

/// Every value once: tied weights are one tensor.
int64_t parameters_of(const Checkpoint& checkpoint) {
  int64_t n = 0;
  for (const auto& tensor : checkpoint.container->tensors()) n += static_cast<int64_t>(tensor.count);
  return n;
}

Training training_of(const WeightsJob& job) {
  Training t;
  for (const size_t i : job.suites) {
    t.suites.push_back(job.variant->suites[i].name);
    if (!job.loaded())
      t.shortest.push_back(shortest_training_length(job.variant->train, *job.variant->suites[i].suite));
  }
  t.weights = job.key;
  t.steps = job.loaded() ? 0 : job.variant->train.steps;
  return t;
}

void save(const WeightsJob& job, const Transformer& model, const Training& t, const Store& store) {
  const std::string what = join(t.suites) + " for " + setting_id(*job.variant, job.seed);
  store.put_weights({{job.key, what}, job.description, job.vocabulary->size(), t.parameters, t.loss},
                    weights_bytes(model, {{"format", "pt"}, {"key", job.key}}));
}

/// Weights that need no training; nullopt when there are none.
std::optional<Training> reload(const WeightsJob& job, const Store& store) {
  const auto kept = store.find_weights(job.key);
  if (!kept) return std::nullopt;
  Training t = training_of(job);
  t.parameters = kept->parameters;
  t.loss = kept->loss;
  return t;
}

Training train_one(const WeightsJob& job, const Store& store, const StageOptions& options, Progress& progress) {
  const Variant& v = *job.variant;
  Training t = training_of(job);
  auto model = new_model(job, v.trained_position());
  const Rng rng = Rng(static_cast<uint64_t>(job.seed)).stream("training");
  model->reset_parameters(rng.stream("weights"));
  model->to(at::Device(options.device));
  std::vector<NamedSuite> suites;
  for (const size_t i : job.suites) suites.push_back({v.suites[i].name, v.suites[i].suite.get()});
  const auto curve = train(*model, v.train, suites, *job.vocabulary, rng, [&](int64_t, double) {
    throw_if_interrupted();
    progress.advance();
  });
  for (const auto& p : curve) t.loss.push_back({p.step, p.loss});
  t.parameters = model->count_parameters();
  save(job, *model, t, store);
  log_detail("trained " + setting_id(v, job.seed) + " on " + join(t.suites) + ": loss " +
             (t.loss.empty() ? "none" : format_fixed(t.loss.back().loss, 4)) + ", weights " + job.key);
  return t;
}

/// A suite that needs more tokens than train.length.min is trained on longer ones: logged once a suite.
void log_raised_lengths(const Work& work) {
  std::vector<std::string> logged;
  for (const auto& job : work.weights) {
    if (job.loaded()) continue;
    for (const size_t i : job.suites) {
      const SuitePlan& plan = job.variant->suites[i];
      const int64_t shortest = shortest_training_length(job.variant->train, *plan.suite);
      if (shortest == job.variant->train.min_length) continue;
      const std::string text = "training: " + plan.name + " is trained from " + std::to_string(shortest) +
                               " tokens on: it does not fit into train.length.min, " +
                               std::to_string(job.variant->train.min_length);
      if (std::find(logged.begin(), logged.end(), text) != logged.end()) continue;
      logged.push_back(text);
      log_info(text);
    }
  }
}

}  // namespace

std::vector<Training> train_all(const Work& work, const Store& store, const StageOptions& options) {
  std::vector<Training> out(work.weights.size());
  std::vector<size_t> missing;
  int64_t steps = 0;
  size_t trained = 0;
  log_raised_lengths(work);
  for (size_t i = 0; i < work.weights.size(); ++i) {
    if (work.weights[i].loaded()) {
      out[i] = training_of(work.weights[i]);
      out[i].parameters = parameters_of(work.weights[i].variant->checkpoint->source->checkpoint());
      continue;
    }
    ++trained;
    if (auto kept = options.fresh ? std::nullopt : reload(work.weights[i], store)) {
      out[i] = *std::move(kept);
    } else {
      missing.push_back(i);
      steps += work.weights[i].variant->train.steps;
    }
  }
  if (missing.size() < trained)
    log_info("training: " + std::to_string(trained - missing.size()) + " of " + std::to_string(trained) +
             " models are there already");
  if (missing.empty()) return out;
  Progress progress("training " + plural(static_cast<int64_t>(missing.size()), "model"), steps, "steps");
  run_jobs(static_cast<int64_t>(missing.size()), options.threads, [&](int64_t i) {
    const size_t which = missing[static_cast<size_t>(i)];
    out[which] = train_one(work.weights[which], store, options, progress);
  });
  progress.finish();
  return out;
}

}  // namespace lw
