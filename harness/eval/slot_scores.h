// What scorers need of judged slots, taken from their logits part by part: all logits of a long sequence under a
// large vocabulary would not fit.
#pragma once
#include "encodings/tensor.h"

namespace lw {

class Model;

struct SlotScores {
  at::Tensor logp_BKN;  // log-probabilities of the wanted tokens, nats, float64
  at::Tensor best_BK;   // the likeliest token of all, the first of equals; int64
};

/// Judges every slot and keeps what is asked. Sums over the vocabulary are formed in float64. Results are on the CPU.
/// @param wanted_BKN int64, tokens whose log-probability is wanted at each slot.
SlotScores score_slots(Model& model, const at::Tensor& tokens_BT, const at::Tensor& slots_BK,
                       const at::Tensor& wanted_BKN);

}  // namespace lw
