#include "harness/inspect/cost_table.h"

#include <algorithm>

#include "harness/base/numbers.h"
#include "reports/text_table.h"

namespace lw {
namespace {

std::string megabytes(int64_t bytes) { return format_fixed(double(bytes) / (1 << 20), bytes < (10 << 20) ? 2 : 0); }
std::string ratio_text(double ratio) { return format_fixed(ratio, 2); }
std::string milliseconds(double seconds) { return format_fixed(seconds * 1e3, seconds < 0.1 ? 2 : 0); }

Paint ratio_paint(double ratio) {
  if (ratio < 1.25) return Paint::kNone;
  return ratio < 3 ? Paint::kWarn : Paint::kBad;
}

/// "ms" and "/ none" at each length.
void add_times(std::vector<TextTable::Item>& row, const SettingCost& cost, const std::vector<int64_t>& lengths) {
  for (const int64_t length : lengths) {
    const auto at = std::find_if(cost.at.begin(), cost.at.end(), [&](const auto& a) { return a.length == length; });
    if (at == cost.at.end()) {
      row.push_back({"no position", Paint::kDim});
      row.push_back({""});
    } else {
      row.push_back({milliseconds(at->seconds)});
      row.push_back({ratio_text(at->time_ratio), ratio_paint(at->time_ratio)});
    }
  }
}

}  // namespace

std::string cost_table(const std::vector<SettingCost>& costs, bool color) {
  std::vector<int64_t> lengths;
  for (const auto& at : costs.front().at) lengths.push_back(at.length);
  const bool train = costs.front().training.has_value(), grows = lengths.size() > 1;
  std::vector<TextTable::Column> columns = {{"setting"}};
  for (const int64_t length : lengths) {
    columns.push_back({format_grouped(length) + " ms", true});
    columns.push_back({"/none"});
  }
  if (grows) columns.push_back({"ms~n^", true});
  columns.push_back({"MB", true});
  columns.push_back({"/none"});
  if (grows) columns.push_back({"MB~n^"});
  if (train) {
    columns.push_back({"train ms", true});
    columns.push_back({"/none"});
  }
  TextTable table(columns, 1);
  const auto exponent = [](const std::optional<double>& p) { return p ? format_fixed(*p, 2) : "-"; };
  for (const auto& cost : costs) {
    std::vector<TextTable::Item> row = {{cost.name, Paint::kBold}};
    add_times(row, cost, lengths);
    if (grows) row.push_back({exponent(cost.time_exponent)});
    const bool whole = !cost.at.empty() && cost.at.back().length == lengths.back();
    row.push_back({whole ? megabytes(cost.at.back().peak_bytes) : "-"});
    row.push_back(
        whole ? TextTable::Item{ratio_text(cost.at.back().memory_ratio), ratio_paint(cost.at.back().memory_ratio)}
              : TextTable::Item{"-"});
    if (grows) row.push_back({exponent(cost.memory_exponent)});
    if (train) {
      row.push_back({cost.training ? milliseconds(cost.training->seconds) : "-"});
      row.push_back(cost.training
                        ? TextTable::Item{ratio_text(cost.training->time_ratio), ratio_paint(cost.training->time_ratio)}
                        : TextTable::Item{"-"});
    }
    table.add(std::move(row));
  }
  return table.str(100, color);
}

std::string cost_by_length(const std::vector<SettingCost>& costs, bool color) {
  const SettingCost& none = costs.front();
  const SettingCost& own = costs.back();
  TextTable table({{"tokens"}, {"ns a token", true}, {"none"}, {"ratio"}, {"peak MB", true}, {"none"}, {"ratio"}}, 1);
  for (size_t i = 0; i < none.at.size(); ++i) {
    std::vector<TextTable::Item> row = {{format_grouped(none.at[i].length)}};
    const auto pair = [&](const std::string& value, const std::string& without, double ratio) {
      row.push_back({value});
      row.push_back({without, Paint::kDim});
      row.push_back({ratio_text(ratio), ratio_paint(ratio)});
    };
    const auto nanoseconds = [](const LengthCost& at) {
      return format_grouped(int64_t(at.seconds * 1e9 / double(at.length)));
    };
    if (i < own.at.size()) {
      pair(nanoseconds(own.at[i]), nanoseconds(none.at[i]), own.at[i].time_ratio);
      pair(megabytes(own.at[i].peak_bytes), megabytes(none.at[i].peak_bytes), own.at[i].memory_ratio);
    } else {
      for (int column = 0; column < 6; ++column) row.push_back({"no position", Paint::kDim, true});
    }
    table.add(std::move(row));
  }
  return table.str(92, color);
}

}  // namespace lw
