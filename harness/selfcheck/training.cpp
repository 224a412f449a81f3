// Training: the same config and seed give the same weights, whatever runs beside it.
#include "harness/selfcheck/training.h"

#include <array>
#include <cstring>
#include <set>

#include "harness/base/parallel.h"
#include "harness/model/transformer.h"
#include "harness/selfcheck/check.h"
#include "harness/selfcheck/probing.h"
#include "harness/train/trainer.h"

namespace lw {
namespace {

bool same_bytes(const at::Tensor& a, const at::Tensor& b) {
  const auto x = a.detach().cpu().contiguous(), y = b.detach().cpu().contiguous();
  return x.nbytes() == y.nbytes() && x.scalar_type() == y.scalar_type() &&
         std::memcmp(x.data_ptr(), y.data_ptr(), x.nbytes()) == 0;
}

/// A model of the subject after three steps on needle probes.
std::shared_ptr<Transformer> trained_model(const Subject& s, const PositionSetting& position) {
  TrainConfig config;
  config.steps = 3, config.batch = 4, config.warmup = 1;
  config.min_length = fewest_probing_tokens(), config.max_length = s.tokens;
  const auto model = random_model(s.model, position, s.device)();
  train(*model, config, {{"needle", &probing_suite()}}, probing_plan(), Rng(1).stream("training"),
        [](int64_t, double) {});
  return model;
}

Finding check_training(std::span<const Subject> subjects) {
  FaultCount found("tensor");
  std::set<std::string> seen;
  for (const auto& s : subjects) {
    if (!s.trained_here) {
      found.leave_out(s.name, "its weights are those of a checkpoint");
    } else if (s.parameters > kSmallModel) {
      found.leave_out(s.name, "it has more than " + std::to_string(int64_t(kSmallModel / 1e6)) + " M parameters");
    } else if (const auto why_not = why_not_asked(s); !why_not.empty()) {
      found.leave_out(s.name, why_not);
    } else {
      const PositionSetting& position = s.position.trained();
      const std::string identity = s.model.summary() + to_yaml(position.resolved());
      if (seen.insert(identity).second)
        add_trainings(
            s.name, [&] { return trained_model(s, position); }, found);
      else
        found.leave_out(s.name, "it is trained as a setting before it");
    }
  }
  return found.finding();
}

}  // namespace

void add_trainings(const std::string& name, const std::function<std::shared_ptr<Transformer>()>& trained,
                   FaultCount& found) {
  const auto alone = trained();
  std::array<std::shared_ptr<Transformer>, 2> beside;
  run_jobs(2, 2, [&](int64_t i) { beside[size_t(i)] = trained(); });
  const auto weights = alone->named_parameters();
  for (const auto& other : beside) {
    const auto others = other->named_parameters();
    for (const auto& weight : weights)
      found.add(same_bytes(weight.value(), others[weight.key()]), name + ", " + weight.key());
  }
}

extern const SelfCheck training_repeated_check{
    .name = "training_repeated",
    .compares = "weights trained alone, and beside others",
    .measures = "tensors that differ in a bit",
    .run = check_training,
};

}  // namespace lw
