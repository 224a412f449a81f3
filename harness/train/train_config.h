// How a model is trained: everything that shapes its weights besides the model and the suites.
#pragma once
#include <cstdint>

namespace lw {

class ConfigNode;

struct TrainConfig {
  bool joint = false;         // one model for all suites; else one for each
  bool with_scaling = false;  // options that extend positions apply in training too, not only in evaluation
  int64_t steps = 400, batch = 32;
  int64_t min_length = 8, max_length = 32;  // one length per batch, uniform; max_length is the training length
  double lr = 1e-3, lr_end = 0.1;           // cosine from lr to lr * lr_end
  int64_t warmup = 50;
  double weight_decay = 0.01, beta1 = 0.9, beta2 = 0.999, clip = 1.0;
  double gate_accuracy = 0.95;   // suites with candidates: at least this, inside the training length
  double gate_excess_nll = 0.1;  // suites of likelihood: at most this many nats above the source's own
  int64_t gate_probes = 256;     // held-out probes of each suite
};

/// Reads the `train` section. @throws Error(kConfig).
TrainConfig read_train_config(ConfigNode& train);

/// Learning rate at `step` (from 0): linear warm-up, then cosine to lr * lr_end at the last step.
[[nodiscard]] double learning_rate(const TrainConfig& config, int64_t step);

}  // namespace lw
