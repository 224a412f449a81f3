#include "reports/tables/table.h"

#include <algorithm>
#include <array>

#include "harness/base/error.h"

namespace lw {
namespace {

/// Every mark of every table, and what it means.
constexpr std::array<std::pair<const char*, const char*>, 2> kMarks = {{
    {"*", "a seed did not pass its gate and is left out"},
    {"!",
     "some probes have no score: shares are given with all of them wrong and with all of them right, losses without "
     "them"},
}};

/// The counts of a row or column of cells, in the order in which they occur.
class Counts {
 public:
  void see(const TableCell& cell) {
    if (!cell.n.empty() && std::find(found_.begin(), found_.end(), cell.n) == found_.end()) found_.push_back(cell.n);
  }
  bool one() const { return found_.size() <= 1; }
  /// "24"; "23 to 72".
  std::string words() const {
    if (found_.empty()) return "";
    const auto shorter = [](const std::string& x, const std::string& y) {
      return x.size() != y.size() ? x.size() < y.size() : x < y;
    };
    const auto [low, high] = std::minmax_element(found_.begin(), found_.end(), shorter);
    return one() ? *low : *low + " to " + *high;
  }

 private:
  std::vector<std::string> found_;  // as tables print numbers: the longer one is the larger
};

}  // namespace

std::string TableCell::plain() const {
  std::string out = text + mark;
  if (!low.empty()) out += " [" + low + ", " + high + "]";
  if (!n.empty()) out += " n " + n;
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

void Table::add_counts() {
  std::vector<Counts> by_row(rows.size()), by_column(columns.size());
  for (size_t r = 0; r < rows.size(); ++r)
    for (size_t c = 0; c < rows[r].cells.size(); ++c)
      by_row[r].see(rows[r].cells[c]), by_column[c].see(rows[r].cells[c]);
  const auto one = [](const Counts& counts) { return counts.one(); };
  const bool rows_agree = std::all_of(by_row.begin(), by_row.end(), one);
  const bool columns_agree = !rows_agree && std::all_of(by_column.begin(), by_column.end(), one);
  for (size_t r = 0; r < rows.size(); ++r)
    if (columns_agree || by_row[r].one())
      for (auto& cell : rows[r].cells) cell.n.clear();
  for (size_t c = 0; columns_agree && c < columns.size(); ++c)
    if (!by_column[c].words().empty())
      columns[c].note += (columns[c].note.empty() ? "n " : ", n ") + by_column[c].words();
  if (columns_agree) return;
  columns.insert(columns.begin() + ptrdiff_t(fixed), TableColumn{.name = "n"});
  for (size_t r = 0; r < rows.size(); ++r)
    if (!rows[r].cells.empty())
      rows[r].cells.insert(rows[r].cells.begin() + ptrdiff_t(fixed), TableCell{by_row[r].words()});
  ++fixed;
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

std::vector<CellRun> cell_runs(const TableRow& row) {
  std::vector<CellRun> runs;
  for (size_t i = 0; i < row.cells.size(); ++i) {
    const bool joins = !runs.empty() && row.cells[i].joins && row.cells[i - 1].joins &&
                       row.cells[i].text == row.cells[i - 1].text && row.cells[i].beyond == row.cells[i - 1].beyond;
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
