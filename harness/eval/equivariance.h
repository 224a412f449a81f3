// Measures whether a model is sensitive to order at all: without positions, the outputs of a bidirectional transformer
// move with its inputs (Vaswani et al. 2017, arXiv:1706.03762, section 3.5: the reason that positions are added).
#pragma once
#include <cstdint>

#include "harness/base/rng.h"

namespace lw {

class Transformer;

/// max |f(permuted x) - permuted f(x)| over final hidden states, which have unit scale, for random sequences of
/// `length` tokens and one random permutation each. Bidirectional models only.
[[nodiscard]] double permutation_residual(Transformer& model, int64_t length, Rng rng);

}  // namespace lw
