#include "reports/tables/table.h"

#include <algorithm>
#include <array>

#include "harness/base/error.h"

namespace lw {
namespace {

/// Every mark of every table, and what it means.
constexpr std::array<std::pair<const char*, const char*>, 2> kMarks = {{
    {"*", "a seed did not pass its gate and is left out"},
    {"!", "some probes have no score"},
}};

}  // namespace

std::string TableCell::plain() const {
  std::string out = text + mark;
  if (!low.empty()) out += " [" + low + ", " + high + "]";
  if (!note.empty()) out += (out.empty() ? "(" : " (") + note + ")";
  return out;
}

TableCell missing_cell(const std::string& reason) {
  TableCell cell;
  cell.text = "n/a: " + reason.substr(0, reason.find(':'));
  cell.state = CellState::kDim;
  cell.joins = true;
  return cell;
}

std::string TableColumn::plain() const { return note.empty() ? name : name + " (" + note + ")"; }

void Table::add(std::vector<TableCell> cells) {
  LW_CHECK(cells.size() == columns.size(), "a row has one cell a column");
  rows.push_back({std::move(cells), ""});
}

std::vector<std::pair<std::string, std::string>> Table::legend() const {
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& [mark, meaning] : kMarks) {
    const auto has_mark = [mark = mark](const TableCell& cell) { return cell.mark == mark; };
    if (std::any_of(rows.begin(), rows.end(),
                    [&](const TableRow& row) { return std::any_of(row.cells.begin(), row.cells.end(), has_mark); }))
      found.emplace_back(mark, meaning);
  }
  return found;
}

std::vector<CellRun> cell_runs(const Table& table, const TableRow& row) {
  std::vector<CellRun> runs;
  for (size_t i = 0; i < row.cells.size(); ++i) {
    const bool joins = !runs.empty() && row.cells[i].joins && row.cells[i - 1].joins &&
                       row.cells[i].text == row.cells[i - 1].text &&
                       table.columns[i].beyond == table.columns[i - 1].beyond;
    if (joins)
      runs.back().end = i + 1;
    else
      runs.push_back({i, i + 1});
  }
  return runs;
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

}  // namespace lw
