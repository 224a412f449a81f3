// Tables of the settings themselves: what they are, what they cost, how their training went.
#pragma once
#include "reports/tables/table.h"
#include "reports/view.h"

namespace lw {

/// Scheme, scaling, model and what was counted of each variant.
Table settings_table(const View& view);
/// What one attention layer holds at once, by length; without rows for a run that did not count it.
Table memory_table(const View& view);
/// Variants by suites: how well each seed did on held-out probes after training.
Table gates_table(const View& view);
/// Seeds that did not pass a gate.
Table unlearned_table(const View& view);
/// Properties of the trained models.
Table checks_table(const View& view);

/// "1.2 MB".
std::string bytes_words(int64_t bytes);

}  // namespace lw
