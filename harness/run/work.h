// A run as jobs: which weights must be trained and which probes evaluated, each under a key that hashes
// everything that shapes it, so that equal work is done once.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/eval/evaluator.h"
#include "harness/experiment/experiment.h"

namespace lw {

/// One set of weights: trained here, or those of a checkpoint.
struct WeightsJob {
  std::string key;
  const Variant* variant = nullptr;  // the first that wants it; others differ in scaling or probes only
  std::vector<size_t> suites;        // into variant->suites
  std::shared_ptr<VocabularyPlan> vocabulary;
  int64_t seed = 0;
  std::string description;  // everything the key hashes, as YAML
  bool loaded() const { return variant->checkpoint.has_value(); }
};

/// One setting's probes that one set of weights answers.
struct EvalJob {
  std::string setting;
  const Variant* variant = nullptr;
  int64_t seed = 0;
  size_t weights = 0;  // into Work::weights
  std::vector<EvalUnit> units;
  std::vector<std::string> keys;  // of the units
  bool is_gate = false;           // evaluated without scaling on held-out probes
  std::optional<size_t> gate;     // into Work::gates: whether its weights learnt what they are asked
};

struct Work {
  std::vector<WeightsJob> weights;
  std::vector<EvalJob> gates;  // one for each way in which weights are held to a gate
  std::vector<EvalJob> evals;  // by setting in config order, then weights
};

/// Devices are part of the keys, since they round differently. @param limit probes at each length; 0: as planned.
Work plan_work(const Experiment& experiment, int64_t limit);

std::string setting_id(const Variant& variant, int64_t seed);

}  // namespace lw
