// Observations grouped by length, distance, depth and offset into cells with intervals.
#pragma once
#include <vector>

#include "reports/index.h"
#include "reports/metrics/metric.h"

namespace lw {

/// What the records of one suite hold, over all settings.
SuiteFacts suite_facts(const Manifest& manifest, const RecordIndex& index, size_t suite);

/// Cells of every setting, suite and metric. A length that a setting has no records of gives an empty cell
/// ("not run"), never a number.
std::vector<Cell> make_cells(const Manifest& manifest, const RecordIndex& index, const SummaryOptions& options);

}  // namespace lw
