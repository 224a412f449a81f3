#include "reports/figures/line_chart.h"

#include <algorithm>
#include <cmath>

#include "harness/base/numbers.h"
#include "reports/figures/svg.h"

namespace lw {
namespace {

constexpr double kTop = 14, kBottom = 46, kLeft = 50, kLabelStep = 14;

/// Round steps of 1, 2 or 5 times a power of ten, about `count` of them.
double nice_step(double width, int count) {
  const double rough = width / count, power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (rough <= factor * power * 1.0001) return factor * power;
  return 10 * power;
}

class Plot {
 public:
  explicit Plot(const LineChart& chart) : chart_(chart) {
    set_x_range();
    set_y_range();
    double longest = chart.name_room;
    for (const auto& s : chart.series) longest = std::max(longest, text_pixels(s.name, true));
    right_ = chart.width - std::min(longest + 26, chart.width * 0.4);
  }

  std::string str() const {
    std::string body = ground() + axes() + levels(false);
    std::string ribbons;
    for (const auto& s : chart_.series) ribbons += ribbon(s);
    body += chart_.series.size() > 5 ? "<g class=\"many\">" + ribbons + "</g>" : ribbons;
    body += train_lines(false) + reference(false);
    for (const auto& s : chart_.series) body += lines(s);
    for (const auto& s : chart_.series) body += marks(s);
    body += levels(true) + train_lines(true) + reference(true);  // words last, so that no line crosses them
    return svg_root(chart_.width, chart_.height, chart_.label, body + end_labels());
  }

 private:
  double scaled(double x) const { return chart_.log2_x ? std::log2(std::max(x, 1e-9)) : x; }
  double x_at(double x) const {
    return kLeft + (right_ - kLeft) * (x_high_ > x_low_ ? (scaled(x) - x_low_) / (x_high_ - x_low_) : 0.5);
  }
  double bottom() const { return chart_.height - kBottom; }
  double y_at(double y) const {
    return bottom() - (bottom() - kTop) * (std::clamp(y, y_low_, y_high_) - y_low_) / (y_high_ - y_low_);
  }

  void each_y(const auto& use) const {
    for (const auto& s : chart_.series) {
      for (const auto& p : s.points) {
        use(p.y);
        if (chart_.whole_range && p.band) use(p.band->low), use(p.band->high);
      }
      for (const auto& strand : s.strands)
        for (const auto& point : strand) use(point.second);
    }
    for (const auto& point : chart_.reference) use(point.second);
  }

  void set_x_range() {
    bool first = true;
    const auto include = [&](double x) {
      x_low_ = first ? scaled(x) : std::min(x_low_, scaled(x));
      x_high_ = first ? scaled(x) : std::max(x_high_, scaled(x));
      first = false;
    };
    for (const auto& tick : chart_.x_ticks) include(tick.first);
    for (const auto& s : chart_.series) {
      for (const auto& p : s.points) include(p.x);
      for (const auto& strand : s.strands)
        for (const auto& point : strand) include(point.first);
    }
  }

  void set_y_range() {
    if (chart_.share) return;
    std::vector<double> values;
    each_y([&](double y) { values.push_back(y); });
    if (values.empty()) return;
    std::sort(values.begin(), values.end());
    if (!chart_.y_ticks.empty()) {
      y_low_ = std::min(values.front(), chart_.y_ticks.front().first);
      y_high_ = std::max(values.back(), chart_.y_ticks.back().first);
      return;
    }
    const double low = values.front(), bulk = values[values.size() * 4 / 5];
    const double high = chart_.whole_range ? values.back() : std::min(values.back(), bulk + 3 * (bulk - low) + 0.5);
    step_ = nice_step(std::max(high - low, chart_.whole_range ? 1e-6 : 0.05), 5);
    y_low_ = std::floor(low / step_) * step_;
    y_high_ = std::ceil(high / step_ + 1e-9) * step_;
  }

  std::string ground() const {
    if (chart_.trained.size() != 1) return "";  // of several, none is the end of what every line was trained on
    const double x = std::clamp(x_at(chart_.trained.front()), kLeft, right_);
    return x < right_ ? svg_rect("beyond", x, kTop, right_ - x, bottom() - kTop) : "";
  }

  std::string axes() const {
    std::string out;
    const int digits = step_ >= 1 ? 0 : int(std::ceil(-std::log10(step_) - 1e-9));
    const auto level = [&](double y, const std::string& name) {
      out += svg_line("grid", kLeft, y_at(y), right_, y_at(y)) + svg_text("tick", kLeft - 7, y_at(y) + 4, name, "end");
    };
    for (const auto& [y, name] : chart_.y_ticks) level(y, name);
    for (int i = 0; chart_.y_ticks.empty() && y_low_ + i * step_ <= y_high_ + 1e-6 * step_; ++i) {
      const double y = y_low_ + i * step_;
      level(y, chart_.share ? format_number(y) : format_fixed(y, digits));
    }
    out += svg_line("axis", kLeft, bottom(), right_, bottom());
    double free_from = -1e9;
    for (const auto& [value, name] : chart_.x_ticks) {
      const double x = x_at(value), half = 0.5 * text_pixels(name);
      out += svg_line("axis", x, bottom(), x, bottom() + 4);
      if (x - half < free_from) continue;
      free_from = x + half + 6;
      out += svg_text("tick", x, bottom() + 18, name, "middle");
    }
    out += svg_text("lab", 0.5 * (kLeft + right_), chart_.height - 8, chart_.x_label, "middle");
    const double middle = 0.5 * (kTop + bottom());
    return out + "<text class=\"lab\" transform=\"translate(12 " + px(middle) +
           ") rotate(-90)\" text-anchor=\"middle\">" + escaped(chart_.y_label) + "</text>";
  }

  std::string levels(bool words) const {
    std::string out;
    for (const auto& [value, name] : chart_.levels)
      out += words ? svg_text("hint", kLeft + 4, y_at(value) - 4, name)
                   : svg_line("chance", kLeft, y_at(value), right_, y_at(value));
    return out;
  }

  std::string reference(bool words) const {
    if (chart_.reference.empty()) return "";
    if (words) return svg_text("hint", kLeft + 4, y_at(chart_.reference.front().second) + 13, chart_.reference_name);
    return polyline("chance", chart_.reference);
  }

  std::string train_lines(bool words) const {
    std::string out;
    for (size_t i = 0; i < chart_.trained.size(); ++i) out += train_line(words, chart_.trained[i], i);
    return out;
  }

  /// @param place of the line among several, whose words stand one below the other.
  std::string train_line(bool words, double length, size_t place) const {
    const double x = x_at(length);
    if (x < kLeft - 1 || x > right_ + 1) return "";
    if (!words) return svg_line("train", x, kTop, x, bottom());
    const std::string text = "trained to " + format_grouped(static_cast<int64_t>(length));
    const bool room = x - kLeft > text_pixels(text) + 10;
    const double middle = room ? x - 40 : x + 40, step = 14 * static_cast<double>(place);
    const bool low_is_free = points_near(middle, bottom() - 10) <= points_near(middle, kTop + 8);
    return svg_text("hint", room ? x - 5 : x + 5, low_is_free ? bottom() - 7 - step : kTop + 12 + step, text,
                    room ? "end" : "start");
  }

  /// Points of lines in the way of a short text.
  int points_near(double x, double y) const {
    int count = 0;
    for (const auto& s : chart_.series)
      for (const auto& p : s.points) count += std::abs(x_at(p.x) - x) < 60 && std::abs(y_at(p.y) - y) < 14 ? 1 : 0;
    return count;
  }

  static std::string group(const ChartSeries& s, const std::string& body) {
    return body.empty() ? "" : "<g class=\"s" + std::to_string(s.style.tone % kTones) + "\">" + body + "</g>";
  }

  std::string ribbon(const ChartSeries& s) const {
    std::string upper, lower;
    for (const auto& p : s.points) {
      if (!p.band) continue;
      upper += (upper.empty() ? "" : " ") + px(x_at(p.x)) + "," + px(y_at(p.band->high));
      lower = " " + px(x_at(p.x)) + "," + px(y_at(p.band->low)) + lower;
    }
    return upper.find(' ') == upper.npos ? "" : group(s, "<polygon class=\"rb\" points=\"" + upper + lower + "\"/>");
  }

  std::string polyline(const char* cls, const std::vector<std::pair<double, double>>& points) const {
    std::string list;
    for (const auto& [x, y] : points) list += (list.empty() ? "" : " ") + px(x_at(x)) + "," + px(y_at(y));
    return "<polyline class=\"" + std::string(cls) + "\" points=\"" + list + "\"/>";
  }

  std::string lines(const ChartSeries& s) const {
    std::string body;
    std::vector<std::pair<double, double>> points;
    for (const auto& p : s.points) points.emplace_back(p.x, p.y);
    if (points.size() > 1) body += polyline("ln", points);
    for (const auto& strand : s.strands) body += polyline("thin", strand);
    return group(s, body);
  }

  std::string marks(const ChartSeries& s) const {
    std::string body;
    for (const auto& p : s.points)
      for (const double y : p.seeds)
        body += "<circle class=\"seed\" cx=\"" + px(x_at(p.x)) + "\" cy=\"" + px(y_at(y)) + "\" r=\"1.7\"/>";
    for (const auto& p : s.points) {
      if (s.dense) break;
      const double x = x_at(p.x), y = y_at(p.y);
      body += "<g><title>" + escaped(p.title) + "</title><circle class=\"hit\" cx=\"" + px(x) + "\" cy=\"" + px(y) +
              "\" r=\"9\"/>" + mark(p.y > y_high_ ? 2 : s.style.shape, x, y) + "</g>";
    }
    return group(s, body);
  }

  struct EndLabel {
    const ChartSeries* series;
    double x, y, at;  // the line's end, and where its name goes
  };

  /// Names at the right edge, in the order of the lines' ends, moved apart as far as they must be.
  std::vector<EndLabel> placed_labels() const {
    std::vector<EndLabel> labels;
    for (const auto& s : chart_.series) {
      double x = 0, y = 0, count = 0;
      if (!s.points.empty()) {
        x = x_at(s.points.back().x), y = y_at(s.points.back().y), count = 1;
      }
      for (const auto& strand : s.strands) {
        if (strand.empty()) continue;
        x = std::max(x, x_at(strand.back().first)), y += y_at(strand.back().second), ++count;
      }
      if (count > 0) labels.push_back({&s, x, y / count, y / count});
    }
    std::stable_sort(labels.begin(), labels.end(), [](const auto& p, const auto& q) { return p.y < q.y; });
    double floor = kTop + 4;
    for (auto& l : labels) {
      l.at = std::max(l.at, floor);
      floor = l.at + kLabelStep;
    }
    double ceiling = bottom() + 6;
    for (auto l = labels.rbegin(); l != labels.rend(); ++l) {
      l->at = std::min(l->at, ceiling);
      ceiling = l->at - kLabelStep;
    }
    return labels;
  }

  std::string end_labels() const {
    std::string out;
    for (const auto& l : placed_labels()) {
      std::string body;
      const bool apart = std::abs(l.at - l.y) > 3 || right_ - l.x > 6;
      if (apart) body += svg_line(l.x < right_ - 6 ? "leash early" : "leash", l.x + 6, l.y, right_ + 10, l.at);
      body += svg_text("end", right_ + 13, l.at + 4, l.series->name);
      out += group(*l.series, body);
    }
    return out;
  }

  const LineChart& chart_;
  double x_low_ = 0, x_high_ = 1, y_low_ = 0, y_high_ = 1, step_ = 0.25;
  double right_ = 0;
};

}  // namespace

std::string draw(const LineChart& chart) { return Plot(chart).str(); }

}  // namespace lw
