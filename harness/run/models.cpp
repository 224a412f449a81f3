#include "harness/run/models.h"

#include <algorithm>

#include "harness/checkpoint/weights.h"
#include "harness/eval/equivariance.h"
#include "harness/experiment/checkpoint_model.h"
#include "harness/model/transformer.h"

namespace lw {

std::shared_ptr<Transformer> new_model(const WeightsJob& job, const PositionSetting& position) {
  ModelConfig config = job.variant->model;
  config.vocabulary = job.vocabulary->size();
  auto model = std::make_shared<Transformer>(config, position.build());
  model->set_sampler(position.sampler());
  return model;
}

std::shared_ptr<Transformer> load_model(const Work& work, const EvalJob& job, const Store& store) {
  const WeightsJob& weights = work.weights[job.weights];
  if (weights.loaded()) return load_model(*job.variant).transformer;
  // A gate uses the positions of training, whatever `eval` says, so equal gates are evaluated once.
  auto model = new_model(weights, job.is_gate ? job.variant->trained_position() : job.variant->position);
  load_weights(*model, store.tensors(weights.key));
  return model;
}

std::vector<Check> check_models(const Work& work, const std::string& setting, const Store& store) {
  std::vector<Check> checks;
  for (const auto& job : work.evals) {
    if (job.setting != setting || job.variant->model.causal()) continue;
    const auto model = load_model(work, job, store);
    int64_t length = job.variant->train_length;
    if (const auto bound = model->encoding().max_positions()) length = std::min(length, *bound);
    checks.push_back({"permutation residual",
                      "largest |change| of an output, scaled to 1, when inputs and outputs are permuted alike",
                      permutation_residual(*model, length, Rng(0).stream("permutation")), 1e-5});
  }
  return checks;
}

}  // namespace lw
