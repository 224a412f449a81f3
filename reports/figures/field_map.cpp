#include "reports/figures/field_map.h"

#include <algorithm>
#include <cmath>

#include "harness/base/numbers.h"
#include "reports/figures/palette.h"
#include "reports/figures/svg.h"

namespace lw {
namespace {

constexpr size_t kMostRows = 96, kMostColumns = 240;
constexpr double kMapLeft = 50, kMapBottom = 44, kScale = 74;

size_t stride(size_t count, size_t most) { return (count + most - 1) / most; }

/// 0 strongest below zero, kFieldSteps - 1 strongest above.
int step_of(double value, double limit) {
  const double share = std::clamp(value / limit, -1.0, 1.0);
  return static_cast<int>(std::lround((share + 1) / 2 * (kFieldSteps - 1)));
}

struct Grid {
  size_t every_row, every_column, rows, columns;
  double cell_width, cell_height;
};

Grid grid_of(const FieldMap& map) {
  Grid g{};
  const size_t columns = map.rows.front().size();
  g.every_row = stride(map.rows.size(), kMostRows);
  g.every_column = stride(columns, kMostColumns);
  g.rows = stride(map.rows.size(), g.every_row);
  g.columns = stride(columns, g.every_column);
  g.cell_width = std::max(1.0, std::floor((map.width - kMapLeft - kScale) / double(g.columns)));
  g.cell_height = std::clamp(std::floor(220.0 / double(g.rows)), 2.0, 14.0);
  return g;
}

/// Cells of one colour are one path of horizontal strokes, a cell high: a few bytes a run.
std::string cells(const FieldMap& map, const Grid& g) {
  std::vector<std::string> paths(kFieldSteps);
  for (size_t row = 0; row < g.rows; ++row) {
    const auto& values = map.rows[row * g.every_row];
    size_t begin = 0;
    for (size_t column = 1; column <= g.columns; ++column) {
      const auto step_at = [&](size_t c) { return step_of(values[c * g.every_column], map.limit); };
      if (column < g.columns && step_at(column) == step_at(begin)) continue;
      paths[size_t(step_at(begin))] += "M" + px(double(begin) * g.cell_width) + " " +
                                       px((double(row) + 0.5) * g.cell_height) + "h" +
                                       px(double(column - begin) * g.cell_width);
      begin = column;
    }
  }
  std::string out;
  for (int step = 0; step < kFieldSteps; ++step)
    if (!paths[size_t(step)].empty())
      out += "<path class=\"f" + std::to_string(step) + "\" d=\"" + paths[size_t(step)] + "\"/>";
  return "<g fill=\"none\" shape-rendering=\"crispEdges\" stroke-width=\"" + px(g.cell_height) + "\">" + out + "</g>";
}

/// The colours and what they stand for, at the right.
std::string scale_bar(const FieldMap& map, double x, double top, double height) {
  const double step = height / kFieldSteps;
  std::string out = "<g fill=\"none\" shape-rendering=\"crispEdges\" stroke-width=\"" + px(step + 0.5) + "\">";
  for (int i = 0; i < kFieldSteps; ++i)
    out += "<path class=\"f" + std::to_string(kFieldSteps - 1 - i) + "\" d=\"M" + px(x) + " " +
           px(top + (i + 0.5) * step) + "h10\"/>";
  out += "</g>";
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", map.limit);
  const std::string limit = text;
  return out + svg_text("tick", x + 15, top + 9, limit) + svg_text("tick", x + 15, top + height / 2 + 4, "0") +
         svg_text("tick", x + 15, top + height, "-" + limit);
}

}  // namespace

std::string draw(const FieldMap& map) {
  const Grid g = grid_of(map);
  const double top = map.title.empty() ? 8 : 26;
  const double width = double(g.columns) * g.cell_width, height = double(g.rows) * g.cell_height;
  std::string body = "<g transform=\"translate(" + px(kMapLeft) + " " + px(top) + ")\">" + cells(map, g) + "</g>";
  if (!map.title.empty()) body += svg_text("head", kMapLeft, 15, map.title);
  for (const auto& [at, name] : map.x_ticks) {
    const double x = kMapLeft + (at / double(g.every_column) + 0.5) * g.cell_width;
    if (x > kMapLeft + width) continue;
    body += svg_line("axis", x, top + height, x, top + height + 4);
    body += svg_text("tick", x, top + height + 17, name, "middle");
  }
  for (const auto& [at, name] : map.y_ticks)
    body += svg_text("tick", kMapLeft - 6, top + (at / double(g.every_row) + 0.5) * g.cell_height + 4, name, "end");
  body += svg_text("lab", kMapLeft + width / 2, top + height + kMapBottom - 9, map.x_label, "middle");
  body += "<text class=\"lab\" transform=\"translate(12 " + px(top + height / 2) +
          ") rotate(-90)\" text-anchor=\"middle\">" + escaped(map.y_label) + "</text>";
  body += scale_bar(map, kMapLeft + width + 14, top, height);
  return svg_root(kMapLeft + width + kScale, top + height + kMapBottom, map.label, body);
}

}  // namespace lw
