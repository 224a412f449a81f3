// Measured costs as tables for the terminal.
#pragma once
#include <string>
#include <vector>

#include "harness/measure/cost.h"

namespace lw {

/// A table in the terminal: time and its ratio to `none` at each length, exponents, memory.
std::string cost_table(const std::vector<SettingCost>& costs, bool color);
/// The last of `costs` against the first, which is `none`: a line a length.
std::string cost_by_length(const std::vector<SettingCost>& costs, bool color);

}  // namespace lw
