#include "reports/figures/range_chart.h"

#include <algorithm>
#include <cmath>

#include "harness/base/numbers.h"
#include "reports/figures/svg.h"

namespace lw {
namespace {

constexpr double kRow = 24, kRangeTop = 8;

}  // namespace

std::string draw(const RangeChart& chart) {
  double low = -chart.margin, high = chart.margin, names = 40, words = 40;
  for (const auto& row : chart.rows) {
    names = std::max(names, text_pixels(row.name) + 12);
    words = std::max(words, text_pixels(row.words) + 12);
    if (!row.measured) continue;
    low = std::min(low, row.low);
    high = std::max(high, row.high);
  }
  const double pad = 0.06 * std::max(high - low, 0.02);
  low -= pad;
  high += pad;
  const double left = std::min(names, chart.width * 0.45), right = chart.width - std::min(words, chart.width * 0.4);
  const double bottom = kRangeTop + kRow * static_cast<double>(chart.rows.size());
  const auto x_at = [&](double v) { return left + (right - left) * (v - low) / (high - low); };

  std::string body =
      svg_rect("held", x_at(-chart.margin), kRangeTop, x_at(chart.margin) - x_at(-chart.margin), bottom - kRangeTop);
  double step = 0.05;
  while ((high - low) / step > 6) step *= 2;
  for (auto i = std::lround(std::ceil(low / step)); static_cast<double>(i) * step <= high; ++i) {
    const double tick = static_cast<double>(i) * step;
    body += svg_line("grid", x_at(tick), kRangeTop, x_at(tick), bottom);
    body += svg_text("tick", x_at(tick), bottom + 16, i == 0 ? "0" : format_fixed(tick, 2), "middle");
  }
  body += svg_line("zero", x_at(0), kRangeTop, x_at(0), bottom);
  for (size_t i = 0; i < chart.rows.size(); ++i) {
    const RangeRow& row = chart.rows[i];
    const double y = kRangeTop + kRow * (static_cast<double>(i) + 0.5);
    body += svg_text("tick", left - 8, y + 4, row.name, "end");
    body += svg_text("tick", right + 10, y + 4, row.words);
    if (!row.measured) continue;
    body += "<g class=\"s" + std::to_string(row.style.tone % kTones) + "\"><title>" + escaped(row.title) + "</title>" +
            svg_line("span", x_at(row.low), y, x_at(row.high), y) + mark(row.style.shape, x_at(row.value), y) + "</g>";
  }
  body += svg_text("lab", 0.5 * (left + right), bottom + 36, chart.x_label, "middle");
  return svg_root(chart.width, bottom + 44, chart.label, body);
}

}  // namespace lw
