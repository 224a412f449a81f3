// Every table of a report, in order: what Markdown, LaTeX and CSV write.
#pragma once
#include <string>
#include <vector>

#include "reports/tables/table.h"
#include "reports/view.h"

namespace lw {

struct TableSection {
  std::string title;
  std::string lead;           // sentences; may be empty
  std::vector<Table> tables;  // none of them empty
};

/// Suite by suite, then what is about all of them. Sections that this run has nothing for are left out.
std::vector<TableSection> report_tables(const View& view);

}  // namespace lw
