// The second stage: evaluates the units that the store lacks, and reads what gates say of the weights.
#pragma once
#include <string>
#include <vector>

#include "harness/results/manifest.h"
#include "harness/results/record.h"
#include "harness/results/store.h"
#include "harness/run/stage_options.h"
#include "harness/run/work.h"

namespace lw {

/// Evaluates every unit that the store lacks. @returns all records, in order of jobs and units.
std::vector<std::vector<Record>> evaluate_all(const Work& work, const std::vector<EvalJob>& jobs, const Store& store,
                                              const StageOptions& options, const std::string& title);

/// Whether the weights of `job` passed, by the bars of its own variant. @param records of work.gates.
std::vector<Gate> gates_of(const EvalJob& job, const std::vector<std::vector<Record>>& records);

}  // namespace lw
