// Figures with lines: a metric over length, NLL over position, training loss.
#include <algorithm>
#include <cmath>
#include <set>

#include "harness/base/numbers.h"
#include "harness/base/text.h"
#include "reports/figures/figures.h"
#include "reports/figures/line_chart.h"
#include "reports/tables/value_cells.h"
#include "reports/words.h"

namespace lw {
namespace {

constexpr double kWide = 760;  // a figure that stands alone

/// "none 0.99, rope 0.47": the ends of the lines, for readers who cannot see them.
std::string spoken(const LineChart& chart, const std::string& what) {
  std::string out = what + ". Last values:";
  for (const auto& s : chart.series)
    if (!s.points.empty()) out += " " + s.name + " " + format_fixed(s.points.back().y, 2) + ";";
  return out;
}

ChartPoint point_of(double x, const std::string& where, const Pooled& p) {
  ChartPoint point;
  point.x = x;
  point.y = *p.value;
  if (p.low) point.band = Interval{*p.low, *p.high};
  if (p.bound_low && point.band)  // probes without a score: as far as they could move it
    point.band = Interval{std::min(*p.low, *p.bound_low), std::max(*p.high, *p.bound_high)};
  if (p.seeds.size() > 1)
    for (const auto& seed : p.seeds)
      if (seed.learned && seed.value) point.seeds.push_back(*seed.value);
  point.title = p.variant + " " + where + ": " + hover_words(p);
  return point;
}

/// The training lengths of a figure's variants, ascending.
std::vector<double> trained_lengths(const View& view, const VariantGroup& group) {
  std::set<int64_t> lengths;
  for (const auto& variant : group.variants)
    if (view.train_length(variant) > 0) lengths.insert(view.train_length(variant));
  return {lengths.begin(), lengths.end()};
}

/// The unscaled variant says so where it stands among its scalings, and each its training where these differ.
std::string name_in(const View& view, const VariantGroup& group, const std::string& variant) {
  const bool reference = variant != group.variants.back() && view.baseline(group.variants.back()) == variant;
  const bool differs = trained_lengths(view, group).size() > 1;
  return variant + (reference ? ", unscaled" : "") +
         (differs ? ", trained to " + format_grouped(view.train_length(variant)) : "");
}

/// A dotted line at each chance level of the figure's variants, with its number where there are several.
void add_chance_levels(LineChart& chart, const std::set<double>& chances) {
  for (const double chance : chances)
    if (chance >= 0.005)
      chart.levels.emplace_back(chance, chances.size() == 1 ? "chance" : "chance " + share_words(chance));
}

/// The ideal predictor's scores of one variant, by length.
std::vector<std::pair<double, double>> ideal_curve(const View& view, const std::string& variant,
                                                   const std::string& suite, const Metric& metric) {
  std::vector<std::pair<double, double>> curve;
  for (const int64_t length : view.lengths(suite))
    if (const Pooled* p = view.at(variant, suite, metric, length); p != nullptr && p->value)
      for (const auto& [name, value] : p->baselines)
        if (name == kIdealNll) curve.emplace_back(static_cast<double>(length), value);
  return curve;
}

/// The metric that is broken down by position in the sequence.
const Metric* offset_metric() {
  for (const Metric* m : metrics())
    if (m->by_offset) return m;
  return nullptr;
}

void add_length_ticks(LineChart& chart, const std::vector<int64_t>& lengths) {
  for (const int64_t length : lengths) chart.x_ticks.emplace_back(static_cast<double>(length), format_grouped(length));
}

}  // namespace

std::string slug(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
    if (plain)
      out += c;
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out;
}

std::string hover_words(const Pooled& p) {
  return pooled_cell(&p, 1).plain() + (p.value ? ", " + plural(p.seeds_measured, "seed") : "") +
         ", n = " + format_grouped(p.n);
}

std::vector<Figure> FigureMaker::by_length(const std::string& suite, const Metric& metric) const {
  std::vector<Figure> figures;
  const auto groups = view_.groups();
  for (const auto& group : groups) {
    LineChart chart;
    if (groups.size() == 1) chart.width = kWide;
    chart.share = metric.share();
    chart.x_label = "length (tokens)";
    chart.y_label = metric.title();
    add_length_ticks(chart, view_.lengths(suite));
    chart.trained = trained_lengths(view_, group);
    std::set<double> chances;
    std::set<std::vector<std::pair<double, double>>> ideals;
    for (const auto& variant : group.variants) {
      ChartSeries series{name_in(view_, group, variant), style(variant), {}, {}};
      for (const int64_t length : view_.lengths(suite)) {
        const Pooled* p = view_.at(variant, suite, metric, length);
        if (p == nullptr) continue;
        if (!p->value) {
          const bool said = series.name.find(", to ") != series.name.npos;
          if (p->reason.starts_with("no position") && !series.points.empty() && !said)
            series.name += ", to " + format_grouped(static_cast<int64_t>(series.points.back().x));
          continue;
        }
        if (p->chance) chances.insert(*p->chance);
        series.points.push_back(point_of(static_cast<double>(length), "at " + format_grouped(length), *p));
      }
      if (series.points.empty()) continue;
      chart.series.push_back(series);
      if (metric.ideal_curve) ideals.insert(ideal_curve(view_, variant, suite, metric));
    }
    if (chart.series.empty()) continue;
    add_chance_levels(chart, chances);
    if (ideals.size() == 1) chart.reference = *ideals.begin();  // else the words above the figure have them
    if (metric.ideal_level) chart.levels.emplace_back(*metric.ideal_level, "ideal");
    chart.reference_name = "ideal";
    chart.label = spoken(chart, suite + ": " + metric.title() + " by length, " + group.title);
    figures.push_back({slug(text(suite, "-", metric.name, "-by-length-", group.title)), group.title, "", draw(chart)});
  }
  return figures;
}

std::vector<Figure> FigureMaker::by_offset(const std::string& suite) const {
  const Metric* metric = offset_metric();
  if (metric == nullptr) return {};
  const int64_t length = view_.lengths(suite).back();
  std::vector<Bin> bins;  // with numbers at the longest length; position 0 has no place on a log axis
  for (const auto& bin : view_.offsets(suite, *metric))
    if (bin.low > 0 && std::any_of(view_.variants().begin(), view_.variants().end(), [&](const auto& variant) {
          const Pooled* p = view_.at_offset(variant, suite, *metric, length, bin);
          return p != nullptr && p->value;
        }))
      bins.push_back(bin);
  if (bins.size() < 2) return {};
  std::vector<Figure> figures;
  const auto groups = view_.groups();
  for (const auto& group : groups) {
    LineChart chart;
    if (groups.size() == 1) chart.width = kWide;
    chart.x_label = "position in the sequence (tokens)";
    chart.y_label = metric->title();
    chart.trained = trained_lengths(view_, group);
    for (const auto& bin : bins) chart.x_ticks.emplace_back(static_cast<double>(bin.low), format_grouped(bin.low));
    chart.x_ticks.emplace_back(static_cast<double>(bins.back().high), format_grouped(bins.back().high));
    for (const auto& variant : group.variants) {
      ChartSeries series{name_in(view_, group, variant), style(variant), {}, {}};
      for (const auto& bin : bins) {
        const Pooled* p = view_.at_offset(variant, suite, *metric, length, bin);
        if (p == nullptr || !p->value) continue;
        const double middle = std::sqrt(static_cast<double>(bin.low) * static_cast<double>(bin.high));
        series.points.push_back(point_of(middle, "at positions " + bin_words(bin), *p));
      }
      if (!series.points.empty()) chart.series.push_back(series);
    }
    if (chart.series.empty()) continue;
    chart.label = spoken(chart, text(suite, ": ", metric->words, " by position at ") + format_grouped(length) +
                                    " tokens, " + group.title);
    figures.push_back(
        {slug(text(suite, "-", metric->name, "-by-position-", group.title)), group.title, "", draw(chart)});
  }
  return figures;
}

std::vector<Figure> FigureMaker::training() const {
  std::vector<std::vector<std::string>> together;
  for (const auto& s : view_.summary().manifest.settings)
    for (const auto& t : s.trainings)
      if (!t.loss.empty() && std::find(together.begin(), together.end(), t.suites) == together.end())
        together.push_back(t.suites);
  std::vector<Figure> figures;
  for (const auto& suites : together) {
    LineChart chart;
    chart.log2_x = false;
    chart.height = 260;
    if (together.size() == 1) chart.width = kWide;
    chart.x_label = "step";
    chart.y_label = "loss (nats)";
    int64_t last = 0;
    for (const auto& variant : view_.variants()) {
      if (view_.setting(variant).scaled) continue;  // no training of their own
      ChartSeries series{variant, style(variant), {}, {}};
      for (const SettingInfo* s : view_.settings(variant))
        for (const auto& t : s->trainings) {
          if (t.suites != suites || t.loss.empty()) continue;
          auto& strand = series.strands.emplace_back();
          for (const auto& p : t.loss) strand.emplace_back(static_cast<double>(p.step), p.loss);
          last = std::max(last, t.loss.back().step);
        }
      if (!series.strands.empty()) chart.series.push_back(series);
    }
    if (chart.series.empty()) continue;
    for (int i = 0; i <= 4; ++i)
      chart.x_ticks.emplace_back(static_cast<double>(last) * i / 4, format_grouped(last * i / 4));
    const std::string name = name_list(suites);
    chart.label = name + ": training loss by step, one line a seed";
    figures.push_back({slug("training-loss-" + name), name, "", draw(chart)});
  }
  return figures;
}

}  // namespace lw
