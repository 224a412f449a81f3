// Measured costs as tables.
#pragma once
#include <vector>

#include "harness/measure/cost.h"
#include "reports/tables/table.h"

namespace lw {

/// Time and its ratio to `none` at each length, exponents, memory: a row a setting.
Table cost_table(const std::vector<SettingCost>& costs);
/// The last of `costs` against the first, which is `none`: a row a length.
Table cost_by_length_table(const std::vector<SettingCost>& costs);

}  // namespace lw
