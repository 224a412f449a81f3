// Tables of one run compared with another.
#pragma once
#include <string>
#include <vector>

#include "reports/diff.h"
#include "reports/tables/table.h"

namespace lw {

/// The rows of one scope; `only_found` leaves out those without a difference.
Table diff_table(const RunDiff& run, Scope scope, bool only_found = false);
/// Inside and beyond the training length, one behind the other.
Table diff_sides_table(const RunDiff& run);

/// Rows of any scopes.
Table diff_rows_table(const RunDiff& run, const std::vector<const Comparison*>& rows);

std::vector<const Comparison*> diff_rows(const RunDiff& run, Scope scope, bool only_found = false);
/// How many probes were paired, and the reasons that others were not.
std::string pairing_words(const RunDiff& run);

}  // namespace lw
