// Probes without a score: counted, explained, and never averaged over in silence.
#pragma once
#include <span>
#include <string>

#include "reports/metrics/metric.h"
#include "reports/summary.h"

namespace lw {

/// One probe more in the counts of a cell.
void count_probe(Cell& cell, const Record& record);
/// The reason that a cell has no value.
std::string reason_of(const Cell& cell, std::span<const Record* const> probes, Unit unit);
/// How many probes of an incomplete cell have no score, and why; and what a share would be with all of them wrong, and
/// with all of them right. A loss has no such bounds.
void note_unscored(Cell& cell, std::span<const Record* const> probes, std::span<const Observation* const> scored,
                   const Metric& metric);

}  // namespace lw
