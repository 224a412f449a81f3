#include "harness/run/asked_suites.h"

#include <algorithm>

namespace lw {
namespace {

/// Planned at each length of a suite; 0 where no job of the setting asks it.
int64_t planned_probes(const Work& work, const std::string& setting, const std::string& suite) {
  for (const auto& job : work.evals)
    for (const auto& unit : job.units)
      if (job.setting == setting && unit.suite_name == suite) return unit.probes;
  return 0;
}

}  // namespace

std::vector<SuiteMeta> asked_suites(const Work& work, const std::string& setting) {
  const auto job =
      std::find_if(work.evals.begin(), work.evals.end(), [&](const EvalJob& j) { return j.setting == setting; });
  if (job == work.evals.end()) return {};
  std::vector<SuiteMeta> suites;
  for (const auto& plan : job->variant->suites)
    suites.push_back({plan.name, plan.kind, plan.summary, plan.suite->chance(), plan.suite->pairs(), plan.lengths,
                      plan.covers, planned_probes(work, setting, plan.name)});
  return suites;
}

}  // namespace lw
