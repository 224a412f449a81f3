// Scores: whatever number of probes, their order, the threads, the repeat, the rows of a pass, and the precision.
#include "harness/selfcheck/evaluation.h"

#include <algorithm>

#include "harness/measure/position_measure.h"
#include "harness/model/model.h"
#include "harness/model/transformer.h"
#include "harness/selfcheck/check.h"

namespace lw {
namespace {

constexpr int64_t kFew = 3, kRows = 16;

/// Two ways of asking the same probes must give the same records, to the last bit.
Finding compare_askings(std::span<const Subject> subjects,
                        const std::function<std::pair<Asking, Asking>(const Subject&)>& ways) {
  FaultCount found("probe");
  for (const auto& s : subjects) {
    const std::string why_not = why_not_asked(s);
    if (!why_not.empty()) {
      found.leave_out(s.name, why_not);
      continue;
    }
    const Ask ask = ask_of(s);
    const auto [one, other] = ways(s);
    add_records(s.name, ask(one), ask(other), found);
  }
  return found.finding();
}

Finding check_probes_asked(std::span<const Subject> subjects) {
  return compare_askings(subjects, [](const Subject& s) {
    return std::pair{Asking{.probes = s.probes}, Asking{.probes = kFew}};
  });
}

Finding check_probe_order(std::span<const Subject> subjects) {
  return compare_askings(subjects, [](const Subject& s) {
    return std::pair{Asking{.probes = s.probes}, Asking{.probes = s.probes, .threads = 4, .backwards = true}};
  });
}

Finding check_repeated(std::span<const Subject> subjects) {
  return compare_askings(subjects, [](const Subject& s) {
    const Asking one_batch{.probes = std::min<int64_t>(s.probes, kRows)};
    return std::pair{one_batch, one_batch};
  });
}

Finding check_rows(std::span<const Subject> subjects) {
  Deviations found(kRowsBound, "setting");
  for (const auto& s : subjects) {
    const std::string why_not = why_not_asked(s);
    if (!why_not.empty()) {
      found.leave_out(s.name, why_not);
      continue;
    }
    const auto model = make_model(s.make(), VocabularyPlan::kMask);
    found.add(rows_apart(*model, drawn_tokens(kRows, s.tokens, s.model.vocabulary).to(at::Device(s.device))), s.name);
  }
  return found.finding();
}

Finding check_float32(std::span<const Subject> subjects) {
  Deviations found(kFloat32Bound, "setting");
  for (const auto& s : subjects) {
    if (!s.without_model.empty()) {
      found.leave_out(s.name, s.without_model);
      continue;
    }
    const auto single = s.make(), twice = s.make();
    twice->to(at::kDouble);
    const auto tokens_BT = drawn_tokens(2, s.tokens, s.model.vocabulary).to(at::Device(s.device));
    found.add(losses_apart(*single, *twice, tokens_BT), s.name);
  }
  return found.finding();
}

/// The loss of each token of a slot, in nats: [B, K], float64.
at::Tensor losses_of(const at::Tensor& logits_BKV, const at::Tensor& labels_BK) {
  const auto logp_BKV = logits_BKV.to(at::kDouble).log_softmax(-1);
  return -logp_BKV.gather(2, labels_BK.unsqueeze(-1)).squeeze(-1);
}

}  // namespace

void add_records(const std::string& name, const std::vector<Record>& a, const std::vector<Record>& b,
                 FaultCount& found) {
  const size_t both = std::min(a.size(), b.size());
  for (size_t i = 0; i < both; ++i)
    found.add(to_json_line(a[i]) == to_json_line(b[i]) && a[i].status == Status::kScored, name + ", " + a[i].id);
  if (both == 0) found.add(false, name + ": no probe was scored");
}

at::Tensor drawn_tokens(int64_t rows, int64_t length, int64_t vocabulary) {
  Rng draw(5);
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < rows * length; ++i) ids.push_back(draw.below(vocabulary));
  return at::tensor(ids, at::kLong).view({rows, length});
}

double rows_apart(Model& model, const at::Tensor& tokens_BT) {
  const at::NoGradGuard no_grad;
  const int64_t rows = tokens_BT.size(0), last = tokens_BT.size(1) - 1;
  const auto losses = [&](const at::Tensor& some_BT) {
    const auto slots_B1 = at::full({some_BT.size(0), 1}, last, some_BT.options());
    return losses_of(model.logits_at(some_BT, slots_B1), some_BT.narrow(1, last, 1));
  };
  const auto together_B1 = losses(tokens_BT);
  double worst = 0;
  for (int64_t row = 0; row < rows; ++row)
    worst = std::max(worst, measure_gap(together_B1.narrow(0, row, 1), losses(tokens_BT.narrow(0, row, 1))));
  return worst;
}

double losses_apart(Transformer& a, Transformer& b, const at::Tensor& tokens_BT) {
  const at::NoGradGuard no_grad;
  const auto pos_1T = measure_positions(0, tokens_BT.size(1)).to(tokens_BT.device());
  const int64_t scored = tokens_BT.size(1) - 1;
  const auto losses = [&](Transformer& model) {
    const auto logits_BTV = model.logits(model.hidden(tokens_BT, pos_1T));
    return losses_of(logits_BTV.narrow(1, 0, scored), tokens_BT.narrow(1, 1, scored));
  };
  return measure_gap(losses(a), losses(b));
}

extern const SelfCheck probes_asked_check{
    .name = "probes_asked",
    .compares = "records of 3 probes, and of these among more",
    .measures = "records that differ in a bit",
    .run = check_probes_asked,
};

extern const SelfCheck probe_order_check{
    .name = "probe_order",
    .compares = "records on one thread, and on 4 in reverse",
    .measures = "records that differ in a bit",
    .run = check_probe_order,
};

extern const SelfCheck repeated_evaluation_check{
    .name = "repeated_evaluation",
    .compares = "records, and those of the same model again",
    .measures = "records that differ in a bit",
    .run = check_repeated,
};

extern const SelfCheck batch_rows_check{
    .name = "batch_rows",
    .compares = "losses of 16 sequences at once, and one by one",
    .measures = "largest difference in nats, float32",
    .run = check_rows,
};

extern const SelfCheck float32_check{
    .name = "float32",
    .compares = "losses in float32, and in float64",
    .measures = "largest difference in nats",
    .run = check_float32,
};

}  // namespace lw
