// A grid of numbers on coloured ground: variants by distance, depth by length.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace lw {

struct HeatCell {
  std::string text;             // "0.98"; empty where there is nothing to say
  std::optional<double> shade;  // 0 pale to 1 strong; absent: no ground
  std::string title;
};

struct HeatMap {
  std::string label;  // what a screen reader says
  std::string title;  // over the grid, may be empty
  std::string x_label;
  std::vector<std::string> columns, rows;
  std::vector<std::vector<HeatCell>> cells;  // by row
  /// By row: a dashed line before this column, where what training never showed begins. Empty: none in any row.
  std::vector<std::optional<size_t>> borders;
  double cell_width = 46, cell_height = 24;
};

std::string draw(const HeatMap& map);

}  // namespace lw
