// Trains one model on one or more suites.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/train/train_config.h"
#include "suites/vocabulary_plan.h"

namespace lw {

class Transformer;

/// A suite, and its name in the config.
struct NamedSuite {
  std::string name;
  const Suite* suite = nullptr;
};

/// train.length.min, or the suite's own minimum where that is longer.
[[nodiscard]] int64_t shortest_training_length(const TrainConfig& config, const Suite& suite);

struct LossAt {
  int64_t step = 0;  // steps done
  double loss = 0;   // mean nats per scored token since the last entry
};

/// Trains in place, on the calling thread. Lengths and probes come from streams of `rng`, so that the same config and
/// seed give the same weights whatever else runs.
/// @param progress called after every step; may throw to stop the training.
/// @returns the loss curve, at most ~60 points.
/// @throws Error(kRuntime) when the loss is not finite.
std::vector<LossAt> train(Transformer& model, const TrainConfig& config, const std::vector<NamedSuite>& suites,
                          const VocabularyPlan& vocabulary, const Rng& rng,
                          const std::function<void(int64_t step, double loss)>& progress);

}  // namespace lw
