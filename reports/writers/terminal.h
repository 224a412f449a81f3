// Tables for a terminal.
#pragma once
#include <string>

#include "reports/tables/table.h"
#include "reports/text_table.h"

namespace lw {

inline constexpr size_t kTerminalWidth = 100;

/// Title, how to read it, legend and rows; "" for a table without rows. Wider tables go on in further blocks.
/// @param color ANSI colours; without them the same text: colour alone says nothing.
std::string write_terminal(const Table& table, bool color, size_t width = kTerminalWidth);
/// The rows alone.
std::string terminal_rows(const Table& table, bool color, size_t width = kTerminalWidth);
/// A table of names and values as a list: "  name   value".
std::string terminal_list(const Table& table, bool color, size_t width = kTerminalWidth);

Paint paint_of(CellState state);

}  // namespace lw
