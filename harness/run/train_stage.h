// The first stage: weights that the store lacks are trained.
#pragma once
#include <vector>

#include "harness/results/manifest.h"
#include "harness/results/store.h"
#include "harness/run/stage_options.h"
#include "harness/run/work.h"

namespace lw {

/// Trains every set of weights that the store lacks. @returns for each entry of work.weights, its loss
/// curve and parameter count (gates are the settings' own: gates_of).
std::vector<Training> train_all(const Work& work, const Store& store, const StageOptions& options);

}  // namespace lw
