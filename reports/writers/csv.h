// Tables as comma-separated values (RFC 4180).
#pragma once
#include <string>

#include "reports/tables/table.h"

namespace lw {

/// One cell: quoted where a comma, quote or line break needs it. A text that a spreadsheet would take for a formula,
/// since it begins with = + - @ or a tab and is no number, gets an apostrophe in front. Control characters are
/// written as \xNN.
std::string csv_quoted(const std::string& text);

/// One column a column of the table. Where a cell has an interval, a mark or a note, columns NAME_low, NAME_high,
/// NAME_mark and NAME_note follow; where rows have headings, a column `group` comes first.
std::string write_csv(const Table& table);

}  // namespace lw
