// A report's table as data: what it says, apart from how a format writes it. reports/writers/ has the formats.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace lw {

enum class CellState { kPlain, kDim, kGood, kWarn, kBad };

struct TableCell {
  std::string text = {};
  CellState state = CellState::kPlain;
  std::string low = {}, high = {};  // ends of an interval around the text
  std::string n = {};               // how many units the number rests on
  std::string brief = {};           // stands in place of text and interval where room is scarce: "0.98 ±.02"
  std::string note = {};            // stands behind, in brackets
  CellState note_state = CellState::kDim;
  std::string mark = {};  // "*": explained in the table's legend
  bool beyond = false;    // of a length that the training of its row never showed
  bool joins = false;     // neighbours with the same text may be written as one

  /// "0.98! [0.95, 1.00] n 24 (note)".
  std::string plain() const;
};

/// A cell that says why there is no number: "n/a: no position".
TableCell missing_cell(const std::string& reason);

enum class Align { kRight, kLeft };

struct TableColumn {
  std::string name;
  std::string note = {};  // stands behind the name, in brackets: "2x"
  Align align = Align::kRight;
  bool beyond = false;       // of lengths that no row's training showed
  bool group_start = false;  // a rule stands before it
  bool strong = false;       // holds the numbers that the table is about
  bool wide_only = false;    // left out where room is scarce
  bool wraps = false;        // holds long text

  /// "64 (2x)".
  std::string plain() const;
};

struct TableRow {
  std::vector<TableCell> cells;  // one a column; or none
  std::string heading = {};      // of a row without cells: what the rows below have in common
};

struct Table {
  std::string id;           // letters, digits and dashes: "needle-accuracy-by-length"
  std::string title;        // "Accuracy by length"
  std::string how_to_read;  // sentences
  std::vector<TableColumn> columns;
  std::vector<TableRow> rows = {};
  std::vector<std::string> notes = {};  // about single cells, under the table
  size_t fixed = 1;                     // leading columns that name the row
  bool by_variant = false;              // the first column names variants
  bool grouped = false;                 // rows with the same first cell belong together

  bool empty() const { return rows.empty(); }
  void add(std::vector<TableCell> cells);
  void add_heading(const std::string& heading) { rows.push_back({{}, heading}); }
  /// Says how many units stand behind the numbers: in a column "n" where each row has one number, in the heads where
  /// each column has one; else the rows with several have their range in the column, and each of their cells its own.
  void add_counts();
  /// The marks that occur in cells, each with what it means.
  std::vector<std::pair<std::string, std::string>> legend() const;
};

/// Cells [begin, end) of a row that are written as one.
struct CellRun {
  size_t begin, end;
};
std::vector<CellRun> cell_runs(const TableRow& row);

/// The text with its first letter, of a to z, in upper case.
std::string capitalised(std::string text);

}  // namespace lw
