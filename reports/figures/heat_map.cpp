#include "reports/figures/heat_map.h"

#include <algorithm>
#include <cmath>

#include "reports/figures/palette.h"
#include "reports/figures/svg.h"

namespace lw {
namespace {

std::string cell_svg(const HeatCell& cell, double x, double y, double width, double height) {
  std::string body;
  if (!cell.title.empty()) body += "<title>" + escaped(cell.title) + "</title>";
  const std::string cls = cell.shade ? "" : "void";
  body += svg_rect(cls, x + 0.75, y + 0.75, width - 1.5, height - 1.5);
  if (!cell.text.empty())
    body += svg_text(cell.shade ? "cell" : "cell dim", x + width / 2, y + height / 2 + 4, cell.text, "middle");
  if (!cell.shade) return "<g>" + body + "</g>";
  const auto step = std::lround(std::clamp(*cell.shade, 0.0, 1.0) * (kHeatSteps - 1));
  return "<g class=\"h" + std::to_string(step) + "\">" + body + "</g>";
}

constexpr double kLine = 13;  // between two lines of a label

/// A range too wide for its column ("16,384-32,767") stands in two lines.
std::vector<std::string> lines_of(const std::string& label, double width) {
  const size_t dash = label.find('-');
  if (text_pixels(label) + 4 <= width || dash == std::string::npos || dash + 1 == label.size()) return {label};
  return {label.substr(0, dash + 1), label.substr(dash + 1)};
}

/// @returns the lines of the tallest label.
size_t draw_columns(const HeatMap& map, double left, double y, std::string& body) {
  size_t tallest = 1;
  for (size_t column = 0; column < map.columns.size(); ++column) {
    const auto lines = lines_of(map.columns[column], map.cell_width);
    tallest = std::max(tallest, lines.size());
    for (size_t line = 0; line < lines.size(); ++line)
      body += svg_text("tick", left + map.cell_width * (static_cast<double>(column) + 0.5),
                       y + kLine * static_cast<double>(line), lines[line], "middle");
  }
  return tallest;
}

}  // namespace

std::string draw(const HeatMap& map) {
  double left = 0;
  for (const auto& row : map.rows) left = std::max(left, text_pixels(row) + 12);
  const double top = map.title.empty() ? 6 : 24;
  const double cells = map.cell_width * static_cast<double>(map.columns.size());
  const double width =
      left + std::max({cells, 1.12 * text_pixels(map.title, true), cells / 2 + text_pixels(map.x_label) / 2}) + 4;
  const double grid = map.cell_height * static_cast<double>(map.rows.size());
  std::string body;
  if (!map.title.empty()) body += svg_text("head", left, 14, map.title);
  for (size_t row = 0; row < map.rows.size(); ++row) {
    const double y = top + map.cell_height * static_cast<double>(row);
    body += svg_text("tick", left - 7, y + map.cell_height / 2 + 4, map.rows[row], "end");
    for (size_t column = 0; column < map.cells[row].size(); ++column) {
      const HeatCell& cell = map.cells[row][column];
      if (cell.text.empty() && !cell.shade) continue;
      body += cell_svg(cell, left + map.cell_width * static_cast<double>(column), y, map.cell_width, map.cell_height);
    }
  }
  const size_t lines = draw_columns(map, left, top + grid + 15, body);
  for (size_t begin = 0, end = 0; begin < map.borders.size(); begin = end) {  // rows with the same border: one line
    while (end < map.borders.size() && map.borders[end] == map.borders[begin]) ++end;
    if (!map.borders[begin]) continue;
    const double x = left + map.cell_width * static_cast<double>(*map.borders[begin]);
    body += svg_line("train", x, top + map.cell_height * static_cast<double>(begin) - 3, x,
                     top + map.cell_height * static_cast<double>(end) + 3);
  }
  double height = top + grid + 22 + kLine * static_cast<double>(lines - 1);
  if (!map.x_label.empty()) {
    body +=
        svg_text("lab", std::max(left + cells / 2, text_pixels(map.x_label) / 2), height + 10, map.x_label, "middle");
    height += 18;
  }
  return svg_root(width, height, map.label, body);
}

}  // namespace lw
