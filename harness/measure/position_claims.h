// What the literature says about position schemes, measured: claims that hold for some schemes and not for others.
#pragma once
#include <string>
#include <vector>

#include "harness/measure/position_measure.h"
#include "harness/results/position_card.h"

namespace lw {

/// Measures every claim in float64. A claim that does not hold is information, not a fault: a learned table is not
/// linear in shifts, and Shaw's vectors cannot be folded into cached keys.
/// @param applies_to where position enters, as on the card.
std::vector<PositionClaim> position_claims(const ModelShape& shape, const std::vector<std::string>& applies_to,
                                           const MakeEncoding& make);

/// The bias of a single query on keys 0, 1, ... count-1 positions back: [H, count] in float64.
/// @param content_1HE the query and every key; undefined for zeros, which leaves what depends on distance alone.
at::Tensor logits_by_distance(PositionEncoding& encoding, const ModelShape& shape, int64_t layer, int64_t count,
                              const at::Tensor& content_1HE);

/// Code vectors that the scheme adds to the input at positions 0 .. count-1: [count, D] in float64.
at::Tensor input_codes(PositionEncoding& encoding, const ModelShape& shape, const at::Tensor& pos_1T);

}  // namespace lw
