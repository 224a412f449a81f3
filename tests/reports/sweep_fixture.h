// A run that sweeps over a suite's options and over training lengths, so that variants differ in all that they may.
#pragma once
#include <string>
#include <vector>

#include "tests/reports/run_fixture.h"

namespace lw::fixture {

struct SweepVariant {
  std::string name;
  int64_t train_length;
  SuiteMeta suite;
  int64_t right;  // of the probes at each length
};

/// A seed each, with as many probes as its suite asks for.
inline Run sweep_run(const std::vector<SweepVariant>& variants) {
  Run run;
  run.manifest.name = "sweep";
  for (const auto& variant : variants) {
    SettingInfo s = setting("rope", 0, {variant.suite.name});
    s.id = variant.name + "/s0";
    s.variant = variant.name;
    s.train_length = variant.train_length;
    s.trainings[0].weights = variant.name;
    s.suites = {variant.suite};
    for (const int64_t length : variant.suite.lengths)
      add_probes(run.records, s, variant.suite.name, length, variant.suite.probes, variant.right);
    run.manifest.settings.push_back(s);
  }
  share_suites(run.manifest);
  return run;
}

inline SuiteMeta needle_of(int64_t values, const std::vector<int64_t>& lengths, int64_t probes = 24) {
  SuiteMeta suite = needle(lengths);
  suite.chance = 1 / static_cast<double>(values);
  suite.probes = probes;
  return suite;
}

/// Two numbers of values and two training lengths; the second variant is not asked the longest length.
inline Run small_sweep() {
  return sweep_run({{"v4 to 16", 16, needle_of(4, {16, 32, 64}), 22},
                    {"v16 to 16", 16, needle_of(16, {16, 32}), 20},
                    {"v4 to 32", 32, needle_of(4, {16, 32, 64}), 24}});
}

}  // namespace lw::fixture
