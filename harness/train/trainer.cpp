#include "harness/train/trainer.h"

#include <ATen/ops/cross_entropy_loss.h>

#include "encodings/tensor.h"

// In a block of its own, since LibTorch 1.13's clip_grad.h does not include what it uses.
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adamw.h>

#include <algorithm>
#include <cmath>

#include "harness/base/error.h"
#include "harness/base/text.h"
#include "harness/model/model.h"
#include "harness/model/transformer.h"

namespace lw {
namespace {

struct Batch {
  at::Tensor tokens_BT, slots_BK, labels_BK;
};

/// One length and one suite per batch: rows are alike, and nothing is padded.
Batch draw_batch(const TrainConfig& config, const std::vector<NamedSuite>& suites,
                 const std::vector<std::unique_ptr<BoundSuite>>& bound, const Rng& rng, int64_t step) {
  Rng draw = rng.stream("batch").stream(uint64_t(step));
  const auto which = size_t(draw.below(int64_t(suites.size())));
  const int64_t low = shortest_training_length(config, *suites[which].suite);
  const int64_t length = low + draw.below(config.max_length - low + 1);
  const Rng stream = rng.stream("train").stream(suites[which].name).stream(uint64_t(step));

  std::vector<int64_t> tokens, slots, labels;
  for (int64_t row = 0; row < config.batch; ++row) {
    const Probe p = bound[which]->make({length, row, true, stream});
    tokens.insert(tokens.end(), p.tokens.begin(), p.tokens.end());
    for (const auto& t : p.targets) {
      slots.push_back(t.slot);
      labels.push_back(t.label);
    }
  }
  const auto table = [&](const std::vector<int64_t>& v) { return at::tensor(v, at::kLong).view({config.batch, -1}); };
  return {table(tokens), table(slots), table(labels)};
}

}  // namespace

int64_t shortest_training_length(const TrainConfig& config, const Suite& suite) {
  return std::max(config.min_length, suite.min_length());
}

std::vector<LossAt> train(Transformer& model, const TrainConfig& config, const std::vector<NamedSuite>& suites,
                          const VocabularyPlan& vocabulary, const Rng& rng,
                          const std::function<void(int64_t, double)>& progress) {
  std::vector<std::unique_ptr<BoundSuite>> bound;
  for (size_t i = 0; i < suites.size(); ++i)
    bound.push_back(suites[i].suite->bind(vocabulary.of(i), {.longest = config.max_length}));
  auto parameters = model.parameters();
  torch::optim::AdamW optimizer(
      parameters,
      torch::optim::AdamWOptions(config.lr).betas({config.beta1, config.beta2}).weight_decay(config.weight_decay));
  auto& options = static_cast<torch::optim::AdamWOptions&>(optimizer.param_groups().front().options());
  const auto device = parameters.front().device();
  const int64_t every = std::max<int64_t>(1, (config.steps + 59) / 60);
  std::vector<LossAt> curve;
  double sum = 0;
  int64_t counted = 0;
  for (int64_t step = 0; step < config.steps; ++step) {
    const Batch batch = draw_batch(config, suites, bound, rng, step);
    options.lr(learning_rate(config, step));
    optimizer.zero_grad();
    const auto logits_BKV =
        training_logits(model, batch.tokens_BT.to(device), batch.slots_BK.to(device), VocabularyPlan::kMask);
    const auto loss = at::cross_entropy_loss(logits_BKV.flatten(0, 1), batch.labels_BK.flatten().to(device));
    loss.backward();
    torch::nn::utils::clip_grad_norm_(parameters, config.clip);
    optimizer.step();
    model.encoding().constrain();
    const double value = loss.item<double>();
    if (!std::isfinite(value))
      throw Error(ErrorKind::kRuntime, text("training: the loss is not finite after step ", step + 1,
                                            " (learning rate ", config.lr, "); a lower one may help"));
    sum += value;
    ++counted;
    if ((step + 1) % every == 0 || step + 1 == config.steps) {
      curve.push_back({step + 1, sum / double(counted)});
      sum = 0;
      counted = 0;
    }
    progress(step + 1, value);
  }
  return curve;
}

}  // namespace lw
