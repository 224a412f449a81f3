#include "reports/writers/csv.h"

#include <algorithm>

namespace lw {
namespace {

/// What stands beside the text of a cell, each in a column of its own.
struct Part {
  const char* ending;
  std::string TableCell::*text;
};
constexpr Part kParts[] = {{"_low", &TableCell::low},
                           {"_high", &TableCell::high},
                           {"_n", &TableCell::n},
                           {"_mark", &TableCell::mark},
                           {"_note", &TableCell::note}};

bool occurs(const Table& table, size_t column, std::string TableCell::*part) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [&](const TableRow& row) { return !row.cells.empty() && !(row.cells[column].*part).empty(); });
}

std::string line(const std::vector<std::string>& values) {
  std::string out;
  for (size_t i = 0; i < values.size(); ++i) out += (i == 0 ? "" : ",") + csv_quoted(values[i]);
  return out + "\n";
}

}  // namespace

std::string csv_quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

std::string write_csv(const Table& table) {
  const bool groups =
      std::any_of(table.rows.begin(), table.rows.end(), [](const TableRow& row) { return row.cells.empty(); });
  std::vector<std::string> heads;
  if (groups) heads.emplace_back("group");
  for (size_t i = 0; i < table.columns.size(); ++i) {
    heads.push_back(table.columns[i].plain());
    for (const auto& part : kParts)
      if (occurs(table, i, part.text)) heads.push_back(table.columns[i].name + part.ending);
  }
  std::string out = line(heads), group;
  for (const auto& row : table.rows) {
    if (row.cells.empty()) {
      group = row.heading;
      continue;
    }
    std::vector<std::string> values;
    if (groups) values.push_back(group);
    for (size_t i = 0; i < row.cells.size(); ++i) {
      values.push_back(row.cells[i].text);
      for (const auto& part : kParts)
        if (occurs(table, i, part.text)) values.push_back(row.cells[i].*part.text);
    }
    out += line(values);
  }
  return out;
}

}  // namespace lw
