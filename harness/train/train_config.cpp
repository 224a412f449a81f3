#include "harness/train/train_config.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "harness/base/config.h"
#include "harness/base/text.h"

namespace lw {

TrainConfig read_train_config(ConfigNode& t) {
  TrainConfig c;
  const NamedValues<bool> models = {{false, "per_suite", "one model for each suite"},
                                    {true, "joint", "one model trained on all suites"}};
  c.joint = t.choice("models", models, false, "what is trained together");
  c.with_scaling =
      t.flag("with_scaling", false,
             "true: position.scaling and all other options that extend a trained model apply in training too; "
             "false: they are added after training");
  auto length = t.map("length", "lengths seen in training, in tokens; one a batch, drawn uniformly");
  c.max_length = length.integer("max", 32, {4, 1 << 20}, "the training length: what lies beyond is extrapolation");
  c.min_length = length.integer("min", std::min<int64_t>(8, c.max_length), {2, 1 << 20}, "shortest");
  length.expect(c.min_length <= c.max_length, "min", found(c.min_length).allowed("at most max (", c.max_length, ")"));
  c.steps = t.integer("steps", 400, {0, 1LL << 40}, "optimiser steps");
  c.batch = t.integer("batch", 32, {1, 1 << 20}, "sequences a step");
  c.lr = t.number("lr", 1e-3, {0, 10, true}, "highest learning rate");
  c.lr_end = t.number("lr_end", 0.1, {0, 1}, "last learning rate, as a share of lr");
  c.warmup = t.integer("warmup", 50, {0, 1LL << 40}, "steps of linear warm-up");
  c.weight_decay = t.number("weight_decay", 0.01, {0, 10}, "decoupled (AdamW)");
  c.beta1 = t.number("beta1", 0.9, {0, 0.999999}, "AdamW");
  c.beta2 = t.number("beta2", 0.999, {0, 0.999999}, "AdamW");
  c.clip = t.number("clip", 1.0, {0, 1e9, true}, "largest gradient norm");
  auto gate = t.map("gate", "what a training must reach within its length to count as learnt");
  c.gate_accuracy = gate.number("accuracy", 0.95, {0, 1}, "suites with candidates: at least this accuracy");
  c.gate_excess_nll =
      gate.number("excess_nll", 0.1, {0, 100}, "suites of likelihood: at most this many nats above the source");
  c.gate_probes = gate.integer("probes", 256, {1, 1 << 20}, "held-out probes of each suite, at the training length");
  return c;
}

double learning_rate(const TrainConfig& c, int64_t step) {
  if (step < c.warmup) return c.lr * double(step + 1) / double(c.warmup);
  const double total = double(std::max<int64_t>(1, c.steps - c.warmup));
  const double done = std::min(1.0, double(step - c.warmup) / total);
  return c.lr * (c.lr_end + (1.0 - c.lr_end) * 0.5 * (1.0 + std::cos(std::numbers::pi * done)));
}

}  // namespace lw
