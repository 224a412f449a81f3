// A list of runs for a terminal.
#include "reports/run_index.h"
#include "reports/tables/run_index_table.h"
#include "reports/writers/terminal.h"

namespace lw {

std::string run_index_terminal(const RunIndex& index, bool color) {
  std::string out = painted(index.folder.string(), Paint::kBold, color) + ": " + run_index_words(index) + "\n";
  const auto add = [&](const Table& table, const std::string& rows) {
    if (table.empty()) return;
    out += "\n" + painted(table.title, Paint::kBold, color) + "\n" + rows;
  };
  const Table runs = run_index_table(index), conclusions = run_conclusions_table(index),
              faults = run_faults_table(index);
  add(runs, terminal_rows(runs, color));
  add(conclusions, terminal_list(conclusions, color));
  add(faults, terminal_list(faults, color));
  return terminal_text(out, color);
}

}  // namespace lw
