#include "reports/writers/terminal.h"

#include <algorithm>
#include <utility>

namespace lw {
namespace {

/// As much as fits into a narrow column.
std::string words_of(const TableCell& cell) {
  TableCell shown = cell;
  if (!cell.brief.empty()) shown.text = cell.brief, shown.low.clear(), shown.high.clear();
  // A mark stands behind the interval.
  shown.mark.clear();
  shown.n.clear();  // a column has the range
  const std::string mark = cell.mark;
  const std::string note = std::exchange(shown.note, "");
  std::string out = shown.plain() + mark;
  if (!note.empty()) out += (out.empty() ? "(" : " (") + note + ")";
  return out;
}

bool has_marks(const Table& table, size_t column) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [&](const TableRow& row) { return !row.cells.empty() && !row.cells[column].mark.empty(); });
}

/// Columns that are shown, by their place.
std::vector<size_t> shown_columns(const Table& table) {
  std::vector<size_t> shown;
  for (size_t i = table.grouped ? 1 : 0; i < table.columns.size(); ++i)
    if (!table.columns[i].wide_only) shown.push_back(i);
  return shown;
}

}  // namespace

Paint paint_of(CellState state) {
  switch (state) {
    case CellState::kPlain:
      return Paint::kNone;
    case CellState::kDim:
      return Paint::kDim;
    case CellState::kGood:
      return Paint::kGood;
    case CellState::kWarn:
      return Paint::kWarn;
    case CellState::kBad:
      return Paint::kBad;
  }
  return Paint::kNone;
}

std::string terminal_rows(const Table& table, bool color, size_t width) {
  const auto shown = shown_columns(table);
  std::vector<TextTable::Column> columns;
  for (const size_t i : shown) {
    const TableColumn& column = table.columns[i];
    columns.push_back(
        {(columns.empty() ? "  " : "") + column.plain(), column.group_start, column.align == Align::kLeft});
  }
  TextTable text(columns, table.fixed - (table.grouped ? 1 : 0));
  std::string group;
  for (const auto& row : table.rows) {
    if (row.cells.empty()) {
      text.add_heading(" " + row.heading);
      continue;
    }
    if (table.grouped && row.cells[0].text != group) text.add_heading(" " + row.cells[0].text);
    group = row.cells[0].text;
    std::vector<TextTable::Item> items;
    for (const size_t i : shown) {
      const TableCell& cell = row.cells[i];
      const std::string room = cell.mark.empty() && !cell.joins && has_marks(table, i) ? " " : "";
      items.push_back({(items.empty() ? "  " : "") + words_of(cell) + room, paint_of(cell.state), cell.joins});
    }
    text.add(std::move(items));
  }
  return text.str(width, color);
}

std::string write_terminal(const Table& table, bool color, size_t width) {
  if (table.empty()) return "";
  std::string out = painted(table.title, Paint::kBold, color) + "\n";
  if (!table.how_to_read.empty()) out += painted(wrapped(table.how_to_read, width, "  "), Paint::kDim, color) + "\n";
  for (const auto& [mark, meaning] : table.legend())
    out += painted(wrapped(mark + ": " + meaning, width, "  "), Paint::kDim, color) + "\n";
  out += terminal_rows(table, color, width);
  for (const auto& note : table.notes) out += painted(wrapped(note, width, "  ", "    "), Paint::kDim, color) + "\n";
  return out;
}

std::string terminal_list(const Table& table, bool color, size_t width) {
  size_t names = 0;
  for (const auto& row : table.rows) names = std::max(names, text_width(row.cells[0].text));
  std::string out;
  for (const auto& row : table.rows) {
    const std::string& name = row.cells[0].text;
    TableCell value = row.cells[1];
    const std::string note = std::exchange(value.note, "");
    const std::string indent(names + 4, ' ');
    std::string text =
        wrapped(value.plain(), width, "  " + name + std::string(names - text_width(name) + 2, ' '), indent);
    if (!note.empty() && value.note_state == CellState::kDim)
      text += " (" + note + ")";
    else if (!note.empty())
      text += "  " + painted(note, paint_of(value.note_state), color);
    out += text + "\n";
  }
  return out;
}

}  // namespace lw
