#include "reports/figures/diff_curves.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "harness/base/numbers.h"
#include "harness/base/text.h"
#include "reports/figures/line_chart.h"
#include "reports/figures/svg.h"
#include "reports/tables/value_cells.h"
#include "reports/words.h"

namespace lw {
namespace {

constexpr double kAlone = 760, kBeside = 530;  // widths of a figure

/// A row of one of the runs.
struct CurveRow {
  const RunDiff* run;
  const Comparison* row;
};

/// What one figure is about: a suite and metric, of distances at one length.
struct CurvePlace {
  std::string suite, metric;
  std::optional<int64_t> length;
  auto operator<=>(const CurvePlace&) const = default;
};

/// "rope" of the label "alibi -> rope".
std::string run_variant(const Comparison& c) {
  const size_t arrow = c.variant.find(" -> ");
  return arrow == std::string::npos ? c.variant : c.variant.substr(arrow + 4);
}

/// The last part of a run's folder.
std::string folder_name(const std::string& folder) {
  const std::filesystem::path path = std::filesystem::path(folder).lexically_normal();
  return (path.has_filename() ? path.filename() : path.parent_path().filename()).string();
}

double x_of(const Comparison& c) {
  if (!c.distance) return static_cast<double>(*c.length);
  return std::max(0.5, 0.5 * static_cast<double>(c.distance->low + c.distance->high - 1));
}

std::string where(const Comparison& c) {
  return c.distance ? "at distance " + bin_words(*c.distance) : "at " + format_grouped(*c.length);
}

/// The panels of one figure, filled row by row.
class Panels {
 public:
  Panels(const Diff& diff, const CurvePlace& place) : several_(diff.runs.size() > 1), metric_(&metric(place.metric)) {
    const bool higher = metric_->better == Better::kHigher;
    values_.share = metric_->share();
    values_.y_label = metric_->title();
    differences_.y_label = text("run minus base", higher ? "" : ", lower is better");
    differences_.whole_range = true;
    differences_.levels = {{0, "no difference"}};
    differences_.height = 220;
    values_.x_label = differences_.x_label =
        place.length ? "distance from query to evidence (tokens)" : "length (tokens)";
    values_.label = text(place.suite, ": ", metric_->title(), " of base and run");
    differences_.label = text(place.suite, ": ", metric_->title(), ", run minus base, with 95 % intervals");
  }

  void add(const CurveRow& entry) {
    const Comparison& c = *entry.row;
    const std::string base = c.baseline + ", base";
    const std::string run = run_variant(c) + ", " + (several_ ? folder_name(entry.run->run) : "run");
    const double x = x_of(c);
    ticks_.insert({x, c.distance ? bin_words(*c.distance) : format_grouped(*c.length)});
    const std::string count = ", n = " + format_grouped(c.n);
    put(values_, base,
        {x, *c.baseline_value, {}, {}, text(base, " ", where(c), ": ", format_fixed(*c.baseline_value, 2), count)});
    put(values_, run, {x, *c.value, {}, {}, text(run, " ", where(c), ": ", format_fixed(*c.value, 2), count)});
    ChartPoint difference{x, *c.difference, {}, {}, text(run, " ", where(c), ": ", difference_cell(c).plain(), count)};
    if (c.low) difference.band = Interval{*c.low, *c.high};
    put(differences_, run, difference);
  }

  /// @param width of both, in pixels.
  std::string svg(double width) {
    for (LineChart* chart : {&values_, &differences_}) {
      chart->width = width;
      chart->x_ticks.assign(ticks_.begin(), ticks_.end());
      for (const auto& s : values_.series) chart->name_room = std::max(chart->name_room, text_pixels(s.name, true));
    }
    return ticks_.size() < 2 ? "" : draw(values_) + draw(differences_);
  }

 private:
  /// A base that several runs are held against has one line: its values are those of the first of them.
  void put(LineChart& chart, const std::string& name, const ChartPoint& point) {
    auto series = std::find_if(chart.series.begin(), chart.series.end(), [&](const auto& s) { return s.name == name; });
    if (series == chart.series.end())
      series = chart.series.insert(chart.series.end(), ChartSeries{name, style_of(name), {}, {}});
    auto& points = series->points;
    const auto at =
        std::lower_bound(points.begin(), points.end(), point.x, [](const auto& p, double x) { return p.x < x; });
    if (at == points.end() || at->x != point.x) points.insert(at, point);
  }

  SeriesStyle style_of(const std::string& name) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    const int place = static_cast<int>(found - names_.begin());
    if (found == names_.end()) names_.push_back(name);
    return {place % kTones, place % kMarks};
  }

  bool several_;
  const Metric* metric_;
  LineChart values_, differences_;
  std::set<std::pair<double, std::string>> ticks_;
  std::vector<std::string> names_;
};

/// The longest length inside training and the longest of all, of the rows by distance of a suite and metric.
bool at_an_end(const std::vector<CurveRow>& rows, const Comparison& c) {
  int64_t inside = 0, longest = 0;
  for (const auto& [run, row] : rows) {
    if (row->suite != c.suite || row->metric != c.metric) continue;
    longest = std::max(longest, *row->length);
    if (row->in_length) inside = std::max(inside, *row->length);
  }
  return *c.length == inside || *c.length == longest;
}

}  // namespace

std::vector<Figure> diff_curves(const Diff& diff, Scope scope) {
  std::vector<CurveRow> rows;
  for (const auto& run : diff.runs)
    for (const auto& row : run.rows)
      if (row.scope == scope && row.difference && row.length) rows.push_back({&run, &row});
  std::vector<std::pair<CurvePlace, Panels>> places;  // in the order of the rows
  for (const auto& entry : rows) {
    const Comparison& c = *entry.row;
    if (scope == Scope::kDistance && !at_an_end(rows, c)) continue;
    const CurvePlace place{c.suite, c.metric, scope == Scope::kDistance ? c.length : std::nullopt};
    auto known = std::find_if(places.begin(), places.end(), [&](const auto& p) { return p.first == place; });
    if (known == places.end()) known = places.insert(places.end(), {place, Panels(diff, place)});
    known->second.add(entry);
  }
  std::vector<Figure> figures;
  for (auto& [place, panels] : places) {
    const std::string svg = panels.svg(places.size() == 1 ? kAlone : kBeside);
    if (svg.empty()) continue;
    const std::string title = text(place.suite, ", ", metric(place.metric).title(),
                                   place.length ? " at length " + format_grouped(*place.length) : "");
    figures.push_back({slug(text("diff-", scope_name(scope), "-", title)), title, "", svg});
  }
  return figures;
}

}  // namespace lw
