// What `selfcheck` prints: a table for people, JSON for programs.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "harness/selfcheck/check.h"

namespace lw {

/// The table, what was left out and why, each failure in full, and one sentence on all.
std::string outcome_text(std::span<const CheckedItem> items, const std::vector<std::string>& bounds, bool color);

/// Every number in full. The same bytes each time on one machine.
nlohmann::ordered_json outcome_json(std::span<const CheckedItem> items, const std::vector<std::string>& bounds);

}  // namespace lw
