// The two stages that compute: training what has no weights yet, judging what has no records yet.
#pragma once
#include <string>
#include <vector>

#include "harness/results/manifest.h"
#include "harness/results/store.h"
#include "harness/run/work.h"

namespace lw {

class Transformer;

struct StageOptions {
  int64_t threads = 1;  // jobs at once; each runs on one thread, so results do not depend on it
  std::string device = "cpu";
  bool fresh = false;  // ignore what the store holds
};

/// Trains every set of weights that the store lacks. @returns for each entry of work.weights, its loss
/// curve and parameter count (gates are the settings' own: gates_of).
std::vector<Training> train_all(const Work& work, const Store& store, const StageOptions& options);

/// Judges every unit that the store lacks; @returns all records, in order of jobs and units.
std::vector<std::vector<Record>> judge_all(const Work& work, const std::vector<EvalJob>& jobs, const Store& store,
                                           const StageOptions& options, const std::string& title);

/// Whether the weights of `job` passed, by the bars of its own variant. @param records of work.gates.
std::vector<Gate> gates_of(const EvalJob& job, const std::vector<std::vector<Record>>& records);

/// Properties of a setting's trained models: for encoders, whether outputs permute with their inputs.
std::vector<Check> check_models(const Work& work, const std::string& setting, const Store& store);

/// The transformer of a job, with its weights and the job's position setting.
std::shared_ptr<Transformer> load_model(const Work& work, const EvalJob& job, const Store& store);

}  // namespace lw
