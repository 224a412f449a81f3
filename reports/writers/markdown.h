// Tables and text for Markdown.
#pragma once
#include <string>

#include "reports/tables/table.h"

namespace lw {

/// Text for a line or a table cell: nothing in it is markup. Brackets stay, unless they make a link.
std::string markdown_text(const std::string& text);

/// Title, how to read it, rows and legend; "" for a table without rows.
/// @param heading what already stands above: a table of that title does not repeat it.
std::string write_markdown(const Table& table, const std::string& heading = "");

}  // namespace lw
