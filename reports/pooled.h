// Cells over the seeds of a variant: learned seeds are averaged, the others are only listed.
#pragma once
#include <span>
#include <vector>

#include "reports/summary.h"

namespace lw {

std::vector<Pooled> pool_seeds(const Manifest& manifest, std::span<const Cell> cells);

/// Whether a claim may rest on the number: it is there, and no probe behind it is without a score.
inline bool complete(const Pooled& p) { return p.value && p.complete(); }

/// From pooled accuracy and its cells. Suites without candidates have no bar to hold and are left out.
std::vector<EffectiveLength> effective_lengths(const Manifest& manifest, std::span<const Cell> cells,
                                               std::span<const Pooled> pooled, double bar);

/// Areas of pooled values over log2 length.
std::vector<Curve> curves_of(const Manifest& manifest, std::span<const Pooled> pooled);

}  // namespace lw
