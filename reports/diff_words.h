// A comparison's rows as words, the same in every format.
#pragma once
#include <string>
#include <vector>

#include "reports/diff.h"
#include "reports/view.h"

namespace lw {

/// Rows of one scope; `only_found` leaves out those without a difference.
std::vector<const DiffRow*> rows_of(const RunDiff& run, const std::string& scope, bool only_found);
std::vector<std::string> diff_heads();
/// One item a head.
std::vector<std::string> diff_items(const DiffRow& row);
/// "copy", "copy (targets)", "text (nats)".
std::string diff_suite(const DiffRow& row);
/// "up to trained", "64 beyond, 32-63 back".
std::string diff_place(const DiffRow& row);
/// How many probes were paired, and why others were not.
std::string pairing_words(const RunDiff& run);
std::string scope_title(const std::string& scope);

}  // namespace lw
