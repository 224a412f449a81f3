// Runs made by hand, and compared.
#pragma once
#include <stdexcept>
#include <string>

#include "reports/diff.h"
#include "tests/reports/run_fixture.h"

namespace lw::fixture {

inline LoadedRun loaded(const Run& run, const std::string& name = "run") {
  LoadedRun result;
  result.folder = name;
  result.manifest = run.manifest;
  result.records = run.records;
  return result;
}

/// One variant, one seed, needles at 16 and 64 with the given numbers right of 40.
inline Run one(const std::string& variant, int64_t right_short, int64_t right_long) {
  Run run;
  run.manifest.name = variant;
  run.manifest.suites = {needle({16, 64})};
  run.manifest.settings = {setting(variant, 0, {"needle"})};
  add_probes(run.records, run.manifest.settings[0], "needle", 16, 40, right_short);
  add_probes(run.records, run.manifest.settings[0], "needle", 64, 40, right_long);
  return run;
}

inline Diff compared(const Run& base, const Run& run, const DiffOptions& options = {}) {
  const LoadedRun theirs = loaded(run, "other");
  return diff_runs(loaded(base, "base"), std::span(&theirs, 1), options);
}

inline const Comparison& row(const Diff& diff, Scope scope, std::optional<int64_t> length = {}) {
  for (const auto& r : diff.runs.at(0).rows)
    if (r.scope == scope && r.length == length && r.metric == "accuracy") return r;
  throw std::runtime_error("no row " + std::string(scope_name(scope)));
}

}  // namespace lw::fixture
