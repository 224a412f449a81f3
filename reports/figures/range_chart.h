// Values with intervals around a zero line, one row each: what scaling costs.
#pragma once
#include <string>
#include <vector>

#include "reports/figures/palette.h"

namespace lw {

struct RangeRow {
  std::string name, title;
  SeriesStyle style;
  bool measured = false;
  double value = 0, low = 0, high = 0;
  std::string words;  // at the right: the number and the verdict
};

struct RangeChart {
  std::string label, x_label;
  double margin = 0;  // shaded around zero: too small to count
  std::vector<RangeRow> rows;
  double width = 530;
};

std::string draw(const RangeChart& chart);

}  // namespace lw
