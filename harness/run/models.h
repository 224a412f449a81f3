// The models of a run: new ones to train, and those whose weights are there.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "harness/results/manifest.h"
#include "harness/results/store.h"
#include "harness/run/work.h"

namespace lw {

class Transformer;

/// An untrained model for these weights.
std::shared_ptr<Transformer> new_model(const WeightsJob& job, const PositionSetting& position);

/// The transformer of a job, with its weights and the job's position setting.
std::shared_ptr<Transformer> load_model(const Work& work, const EvalJob& job, const Store& store);

/// Properties of a setting's models: for encoders, whether outputs permute with their inputs.
std::vector<Check> check_models(const Work& work, const std::string& setting, const Store& store);

}  // namespace lw
