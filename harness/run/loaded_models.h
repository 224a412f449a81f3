// Evaluating checkpoints: one copy of the weights, under one position setting after another, its probes shared out
// among threads.
#pragma once
#include <functional>
#include <vector>

#include "harness/results/record.h"
#include "harness/run/work.h"

namespace lw {

/// A job whose weights are loaded, and which of its units lack records.
struct LoadedJob {
  size_t which = 0;  // among all jobs, for the caller
  const EvalJob* job = nullptr;
  std::vector<size_t> units;
};

/// Evaluates them in order. @param threads probes at once; results do not depend on it.
/// @param unit_done(which, unit, records) as soon as a unit is whole; called from one thread at a time.
/// @param probes_done(n, work) for progress, from any thread; work as pass_work().
void evaluate_loaded(const std::vector<LoadedJob>& jobs, const std::string& device, int64_t threads,
                     const std::function<void(size_t which, size_t unit, std::vector<Record>)>& unit_done,
                     const std::function<void(int64_t, double)>& probes_done);

}  // namespace lw
