// Helpers of suites: filler that carries no information, streams of chance, and places in a haystack.
#pragma once
#include "suites/suite.h"

namespace lw {

/// `begin` (when the model has one) and `body` random symbols out of [first, first + count).
[[nodiscard]] std::vector<Token> filler_sequence(int64_t body, int64_t first, int64_t count, Rng& rng,
                                                 const Vocabulary& vocabulary);

/// The stream of one evaluation cell: independent of every other length and index.
[[nodiscard]] Rng probe_stream(const ProbeRequest& request, int64_t index);

/// Offset in [0, body) for a depth: 0 the first place, 1 the last; rounded to the nearest.
[[nodiscard]] int64_t offset_at(double depth, int64_t body);

}  // namespace lw
