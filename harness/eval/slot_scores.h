// Scores slots from their logits, part by part: all logits of a long sequence under a large vocabulary would not fit
// into memory.
#pragma once
#include "encodings/tensor.h"

namespace lw {

class Model;

struct SlotScores {
  at::Tensor logp_BKN;  // log-probabilities of the wanted tokens, nats, float64
  at::Tensor best_BK;   // the most likely token of the vocabulary, the first among equals; int64
};

/// Sums over the vocabulary are formed in float64. Results are on the CPU.
/// @param wanted_BKN int64, the tokens whose log-probability is needed at each slot.
[[nodiscard]] SlotScores score_slots(Model& model, const at::Tensor& tokens_BT, const at::Tensor& slots_BK,
                                     const at::Tensor& wanted_BKN);

}  // namespace lw
