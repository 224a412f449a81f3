#include "harness/eval/slot_scores.h"

#include <algorithm>
#include <vector>

#include "harness/model/model.h"

namespace lw {
namespace {

/// Elements of logits held at once: 128 MB of float32.
constexpr int64_t kLogitBudget = 32LL << 20;

/// ln of the sum of exp over the vocabulary, [B, k], float64. A few rows are widened at a time, so that they stay in
/// the processor's cache.
at::Tensor log_sum_exp(const at::Tensor& logits_BPV) {
  constexpr int64_t kBlock = 1 << 16;  // elements
  const int64_t vocabulary = logits_BPV.size(-1);
  const auto logits_RV = logits_BPV.reshape({-1, vocabulary});
  const int64_t rows = logits_RV.size(0), step = std::max<int64_t>(1, kBlock / vocabulary);
  std::vector<at::Tensor> parts;
  for (int64_t begin = 0; begin < rows; begin += step)
    parts.push_back(logits_RV.narrow(0, begin, std::min(step, rows - begin)).to(at::kDouble).logsumexp(-1));
  return at::cat(parts).view({logits_BPV.size(0), -1});
}

}  // namespace

SlotScores score_slots(Model& model, const at::Tensor& tokens_BT, const at::Tensor& slots_BK,
                       const at::Tensor& wanted_BKN) {
  at::NoGradGuard no_grad;
  std::vector<at::Tensor> logp, best;
  model.logits_in_parts(tokens_BT, slots_BK, kLogitBudget, [&](int64_t first, const at::Tensor& logits_BPV) {
    const auto wanted_BPN = wanted_BKN.narrow(1, first, logits_BPV.size(1));
    const auto picked_BPN = logits_BPV.gather(-1, wanted_BPN).to(at::kDouble);
    logp.push_back((picked_BPN - log_sum_exp(logits_BPV).unsqueeze(-1)).to(at::kCPU));
    best.push_back(logits_BPV.argmax(-1).to(at::kCPU));
  });
  return {at::cat(logp, 1).contiguous(), at::cat(best, 1).contiguous()};
}

}  // namespace lw
