// What position scaling changes: each scaled variant against the unscaled one with the same weights.
#pragma once
#include <vector>

#include "reports/index.h"

namespace lw {

/// Paired by seed, probe id and prompt; seeds that did not learn the suite stay out.
std::vector<Comparison> compare_scalings(const Manifest& manifest, const RecordIndex& index,
                                         const SummaryOptions& options);

}  // namespace lw
