#include "harness/inspect/cost_table.h"

#include <algorithm>

#include "harness/base/numbers.h"
#include "reports/writers/terminal.h"

namespace lw {
namespace {

std::string megabytes(int64_t bytes) { return format_fixed(double(bytes) / (1 << 20), bytes < (10 << 20) ? 2 : 0); }
std::string milliseconds(double seconds) { return format_fixed(seconds * 1e3, seconds < 0.1 ? 2 : 0); }

TableCell ratio_cell(double ratio) {
  return {.text = format_fixed(ratio, 2),
          .state = ratio < 1.25 ? CellState::kPlain
                   : ratio < 3  ? CellState::kWarn
                                : CellState::kBad};
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
      row.push_back(ratio_cell(at->time_ratio));
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
  if (train) {
    row.push_back({cost.training ? milliseconds(cost.training->seconds) : "-"});
    row.push_back(cost.training ? ratio_cell(cost.training->time_ratio) : TableCell{"-"});
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
  table.columns = {{"tokens"}, group("ns a token"), {"none"}, {"ratio"}, group("peak MB"), {"none"}, {"ratio"}};
  const auto nanoseconds = [](const LengthCost& at) {
    return format_grouped(int64_t(at.seconds * 1e9 / double(at.length)));
  };
  for (size_t i = 0; i < none.at.size(); ++i) {
    std::vector<TableCell> row = {{format_grouped(none.at[i].length)}};
    const auto pair = [&](const std::string& value, const std::string& without, double ratio) {
      row.push_back({value});
      row.push_back({.text = without, .state = CellState::kDim});
      row.push_back(ratio_cell(ratio));
    };
    if (i < own.at.size()) {
      pair(nanoseconds(own.at[i]), nanoseconds(none.at[i]), own.at[i].time_ratio);
      pair(megabytes(own.at[i].peak_bytes), megabytes(none.at[i].peak_bytes), own.at[i].memory_ratio);
    } else {
      row.insert(row.end(), 6, beyond_bound());
    }
    table.add(std::move(row));
  }
  return table;
}

}  // namespace lw
