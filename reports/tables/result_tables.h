// Tables of what was measured, variant by variant. A table without rows is one that this run has nothing for.
#pragma once
#include <string>

#include "reports/tables/table.h"
#include "reports/view.h"

namespace lw {

/// A metric of a suite at every length.
Table length_table(const View& view, const std::string& suite, const Metric& metric);
/// The pair metrics of a suite at the training length and at the longest.
Table pairs_table(const View& view, const std::string& suite);
/// The main metric of a suite by distance between query and evidence, at the longest length: there all distances
/// occur. The other lengths are in tables/pooled.csv.
Table distance_table(const View& view, const std::string& suite);
/// The main metric of a suite by depth of the evidence, at the longest length.
Table depth_table(const View& view, const std::string& suite);
/// How far each variant reaches on each suite with answers.
Table effective_length_table(const View& view);

}  // namespace lw
