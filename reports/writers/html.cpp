#include "reports/writers/html.h"

#include "reports/figures/svg.h"

namespace lw {
namespace {

std::string class_of(const std::string& cls) { return cls.empty() ? "" : " class=\"" + cls + "\""; }

const char* state_class(CellState state) {
  switch (state) {
    case CellState::kPlain:
      return "";
    case CellState::kDim:
      return "na";
    case CellState::kGood:
      return "better";
    case CellState::kWarn:
      return "warn";
    case CellState::kBad:
      return "worse";
  }
  return "";
}

std::string column_class(const TableColumn& column, bool beyond) {
  std::string cls = beyond ? "out" : "";
  if (column.align == Align::kLeft) cls += cls.empty() ? "text" : " text";
  if (column.wraps) cls += cls.empty() ? "wrap" : " wrap";
  return cls;
}

std::string note_html(const TableCell& cell) {
  if (cell.note.empty()) return "";
  if (cell.note_state == CellState::kGood)
    return " <span class=\"agrees\">\xE2\x9C\x93 " + escaped(cell.note) + "</span>";
  if (cell.note_state == CellState::kBad)
    return " <span class=\"disagrees\">\xE2\x9C\x95 " + escaped(cell.note) + "</span>";
  return " <i>(" + escaped(cell.note) + ")</i>";
}

std::string cell_html(const TableCell& cell, bool strong) {
  std::string out = escaped(cell.text + cell.mark);
  if (strong && !out.empty() && !cell.joins) out = "<b>" + out + "</b>";
  if (!cell.low.empty()) out += " <i>[" + escaped(cell.low) + ", " + escaped(cell.high) + "]</i>";
  if (!cell.n.empty()) out += " <i>n " + cell.n + "</i>";
  return out + note_html(cell);
}

std::string row_html(const Table& table, const TableRow& row, const VariantHtml& variant) {
  if (row.cells.empty())
    return "<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"" + std::to_string(table.columns.size()) + "\">" +
           escaped(row.heading) + "</th></tr>\n";
  std::string out = "<tr>";
  for (const auto& [begin, end] : cell_runs(row)) {
    const TableCell& cell = row.cells[begin];
    std::string cls = column_class(table.columns[begin], cell.beyond);
    const std::string state = state_class(cell.state);
    if (!state.empty()) cls += (cls.empty() ? "" : " ") + state;
    const std::string name = begin == 0 ? "th" : "td";
    const std::string span = end - begin > 1 ? " colspan=\"" + std::to_string(end - begin) + "\"" : "";
    const bool named = begin == 0 && table.by_variant && variant != nullptr;
    out += "<" + name + (begin == 0 ? " scope=\"row\"" : "") + class_of(cls) + span + ">" +
           (named ? variant(cell.text) : cell_html(cell, table.columns[begin].strong)) + "</" + name + ">";
  }
  return out + "</tr>\n";
}

}  // namespace

std::string write_html(const Table& table, const VariantHtml& variant, bool titled) {
  if (table.empty()) return "";
  std::string out = "<div class=\"scroll\"><table>";
  if (titled && !table.title.empty())
    out += "<caption><b>" + escaped(table.title) + ".</b> " + escaped(table.how_to_read) + "</caption>";
  out += "<thead><tr>";
  for (const auto& column : table.columns)
    out += "<th scope=\"col\"" + class_of(column_class(column, column.beyond)) + ">" + escaped(column.name) +
           (column.note.empty() ? "" : "<br><small>" + escaped(column.note) + "</small>") + "</th>";
  out += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) out += row_html(table, row, variant);
  out += "</tbody></table></div>\n";
  for (const auto& [mark, meaning] : table.legend())
    out += "<p class=\"legend\"><b>" + escaped(mark) + "</b> " + escaped(meaning) + "</p>\n";
  for (const auto& note : table.notes) out += "<p class=\"legend\">" + escaped(note) + "</p>\n";
  return out;
}

std::string html_list(const Table& table) {
  std::string out;
  for (const auto& row : table.rows)
    out += "<dt>" + escaped(row.cells[0].text) + "</dt><dd>" + cell_html(row.cells[1], false) + "</dd>\n";
  return out;
}

}  // namespace lw
