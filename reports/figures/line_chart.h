// Lines over a length or position axis: ribbons, seeds, a training length and labels at the lines' ends.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/figures/palette.h"
#include "reports/statistics/intervals.h"

namespace lw {

struct ChartPoint {
  double x = 0, y = 0;
  std::optional<Interval> band;
  std::vector<double> seeds;  // small dots
  std::string title;          // shown on hover
};

struct ChartSeries {
  std::string name;
  SeriesStyle style;
  std::vector<ChartPoint> points;                               // ascending in x
  std::vector<std::vector<std::pair<double, double>>> strands;  // thin lines of their own: loss curves of seeds
  bool dense = false;                                           // too many points for a mark at each
};

struct LineChart {
  std::string label;  // what a screen reader says
  std::string x_label, y_label;
  bool log2_x = true;
  std::vector<std::pair<double, std::string>> x_ticks;
  std::vector<std::pair<double, std::string>> y_ticks;  // in place of round numbers; all of the range is drawn
  bool share = false;                                   // y from 0 to 1
  bool whole_range = false;                             // no value is drawn at the edge, however far off
  std::vector<double> trained;                          // dashed lines; beyond the only one the ground is shaded
  std::vector<std::pair<double, std::string>> levels;   // dotted horizontal lines with a name
  std::vector<std::pair<double, double>> reference;     // a dotted curve: the ideal predictor
  std::string reference_name;
  std::vector<ChartSeries> series;
  double width = 530, height = 320;
  double name_room = 0;  // at least, in pixels, for the names at the right: charts below each other line up
};

/// Values far above the bulk are drawn at the upper edge with an arrow; their title has the number.
std::string draw(const LineChart& chart);

}  // namespace lw
