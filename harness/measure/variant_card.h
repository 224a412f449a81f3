// The position card of a config's variant.
#pragma once
#include "harness/experiment/experiment.h"
#include "harness/results/position_card.h"

namespace lw {

/// @param length tokens at which the state is given; the training length when 0.
PositionCard position_card_of(const Variant& variant, int64_t length);

/// Tokens that a variant is to reach: the longest that it is judged on.
int64_t deployed_length(const Variant& variant);

}  // namespace lw
