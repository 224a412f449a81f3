// A list of runs as tables.
#pragma once
#include "reports/run_index.h"
#include "reports/tables/table.h"

namespace lw {

/// A row for each run that could be read. The first column holds its folder.
Table run_index_table(const RunIndex& index);
/// Two columns, for where room is scarce: the folder, and what the run concluded.
Table run_conclusions_table(const RunIndex& index);
/// Folders that could not be read, each with its reason; without rows when there is none.
Table run_faults_table(const RunIndex& index);

/// "3 runs, 1 folder that could not be read".
std::string run_index_words(const RunIndex& index);

}  // namespace lw
