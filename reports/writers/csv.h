// Tables as comma-separated values (RFC 4180).
#pragma once
#include <string>

#include "reports/tables/table.h"

namespace lw {

/// Quoted where a comma, quote or line break needs it.
std::string csv_quoted(const std::string& text);

/// One column a column of the table. Where a cell has an interval, a mark or a note, columns NAME_low, NAME_high,
/// NAME_mark and NAME_note follow; where rows have headings, a column `group` comes first.
std::string write_csv(const Table& table);

}  // namespace lw
