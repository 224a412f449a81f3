// RoPE's frequencies by the formulas of the papers, written a second time: in long double, without a line of
// the scalings themselves. For self-checks.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "encodings/model_shape.h"

namespace lw {

struct Tree;

/// Radians per position, one per pair. nullopt for methods without a formula here.
/// @param position a resolved section with `scheme: rope`. @param length tokens in the sequence.
std::optional<std::vector<double>> straight_frequencies(const Tree& position, const ModelShape& shape, int64_t length);

}  // namespace lw
