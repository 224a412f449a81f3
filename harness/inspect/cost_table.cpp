#include "harness/inspect/cost_table.h"

#include <algorithm>

#include "harness/base/numbers.h"
#include "reports/writers/terminal.h"

namespace lw {
namespace {

std::string megabytes(int64_t bytes) { return format_fixed(double(bytes) / (1 << 20), bytes < (10 << 20) ? 2 : 0); }
std::string milliseconds(double seconds) { return format_fixed(seconds * 1e3, seconds < 0.1 ? 2 : 0); }

CellState ratio_state(double ratio) {
  return ratio < 1.25 ? CellState::kPlain : ratio < 3 ? CellState::kWarn : CellState::kBad;
}

TableCell ratio_cell(double ratio) { return {.text = format_fixed(ratio, 2), .state = ratio_state(ratio)}; }

/// With the range of the repeats where they differ by more than a tenth. No repeat may deny what the color says.
TableCell time_ratio_cell(const LengthCost& at) {
  std::string text = format_fixed(at.time_ratio, 2);
  if (at.least_ratio < 0.9 * at.time_ratio || at.largest_ratio > 1.1 * at.time_ratio)
    text += " (" + format_fixed(at.least_ratio, 2) + "-" + format_fixed(at.largest_ratio, 2) + ")";
  return {.text = std::move(text), .state = ratio_state(at.least_ratio)};
}

TableCell resident_cell(const LengthCost& at) {
  return {.text = at.resident_bytes ? megabytes(*at.resident_bytes) : "-"};
}

TableCell exponent_cell(const std::optional<double>& p) { return {.text = p ? format_fixed(*p, 2) : "-"}; }

TableCell beyond_bound() { return {.text = "no position", .state = CellState::kDim, .joins = true}; }

TableColumn group(const std::string& name) { return {.name = name, .group_start = true}; }

/// "ms" and "/ none" at each length.
void add_times(std::vector<TableCell>& row, const SettingCost& cost, const std::vector<int64_t>& lengths) {
  for (const int64_t length : lengths) {
    const auto at = std::find_if(cost.at.begin(), cost.at.end(), [&](const auto& a) { return a.length == length; });
    if (at == cost.at.end()) {
      row.insert(row.end(), 2, beyond_bound());
    } else {
      row.push_back({milliseconds(at->seconds)});
      row.push_back(time_ratio_cell(*at));
    }
  }
}

std::vector<TableCell> row_of(const SettingCost& cost, const std::vector<int64_t>& lengths, bool train) {
  const bool grows = lengths.size() > 1;
  std::vector<TableCell> row = {{cost.name}};
  add_times(row, cost, lengths);
  if (grows) row.push_back(exponent_cell(cost.time_exponent));
  const bool whole = !cost.at.empty() && cost.at.back().length == lengths.back();
  row.push_back({whole ? megabytes(cost.at.back().peak_bytes) : "-"});
  row.push_back(whole ? ratio_cell(cost.at.back().memory_ratio) : TableCell{"-"});
  if (grows) row.push_back(exponent_cell(cost.memory_exponent));
  row.push_back(whole ? resident_cell(cost.at.back()) : TableCell{"-"});
  if (train) {
    row.push_back({cost.training ? milliseconds(cost.training->seconds) : "-"});
    row.push_back(cost.training ? time_ratio_cell(*cost.training) : TableCell{"-"});
  }
  return row;
}

}  // namespace

Table cost_table(const std::vector<SettingCost>& costs) {
  std::vector<int64_t> lengths;
  for (const auto& at : costs.front().at) lengths.push_back(at.length);
  const bool train = costs.front().training.has_value(), grows = lengths.size() > 1;
  Table table;
  table.id = "cost";
  table.title = "Cost of one attention layer";
  table.columns = {{.name = "setting", .align = Align::kLeft}};
  for (const int64_t length : lengths) {
    table.columns.push_back(group(format_grouped(length) + " ms"));
    table.columns.push_back({"/none"});
  }
  if (grows) table.columns.push_back(group("ms~n^"));
  table.columns.push_back(group("MB"));
  table.columns.push_back({"/none"});
  if (grows) table.columns.push_back({"MB~n^"});
  table.columns.push_back({"resident"});
  if (train) {
    table.columns.push_back(group("train ms"));
    table.columns.push_back({"/none"});
  }
  for (const auto& cost : costs) table.add(row_of(cost, lengths, train));
  return table;
}

Table cost_by_length_table(const std::vector<SettingCost>& costs) {
  const SettingCost &none = costs.front(), &own = costs.back();
  Table table;
  table.id = "cost-by-length";
  table.title = "Cost by length";
  table.columns = {{"tokens"}, group("ns a token"), {"none"},    {"ratio"}, group("peak MB"),
                   {"none"},   {"ratio"},           {"resident"}};
  const auto nanoseconds = [](const LengthCost& at) {
    return format_grouped(int64_t(at.seconds * 1e9 / double(at.length)));
  };
  for (size_t i = 0; i < none.at.size(); ++i) {
    std::vector<TableCell> row = {{format_grouped(none.at[i].length)}};
    const auto pair = [&](const std::string& value, const std::string& without, TableCell ratio) {
      row.push_back({value});
      row.push_back({.text = without, .state = CellState::kDim});
      row.push_back(std::move(ratio));
    };
    if (i < own.at.size()) {
      pair(nanoseconds(own.at[i]), nanoseconds(none.at[i]), time_ratio_cell(own.at[i]));
      pair(megabytes(own.at[i].peak_bytes), megabytes(none.at[i].peak_bytes), ratio_cell(own.at[i].memory_ratio));
      row.push_back(resident_cell(own.at[i]));
    } else {
      row.insert(row.end(), 7, beyond_bound());
    }
    table.add(std::move(row));
  }
  return table;
}

}  // namespace lw
