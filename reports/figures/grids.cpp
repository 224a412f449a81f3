// Figures without lines: heat maps by distance and depth, and ranges around zero.
#include <algorithm>
#include <set>

#include "harness/base/numbers.h"
#include "reports/figures/figures.h"
#include "reports/figures/heat_map.h"
#include "reports/figures/range_chart.h"
#include "reports/tables/value_cells.h"
#include "reports/words.h"

namespace lw {
namespace {

constexpr int64_t kFewest = 20;  // fewer probes over all seeds: the number is there, but not the colour

/// Shares are shaded from chance to 1; nats from the worst to the best of the figure.
class Shading {
 public:
  explicit Shading(bool share) : share_(share) {}
  void see(const Pooled* p) {
    if (p == nullptr || !p->value || p->n < kFewest || !p->complete()) return;
    low_ = std::min(low_, *p->value);
    high_ = std::max(high_, *p->value);
  }
  double of(const Pooled& p) const {
    if (!share_) return high_ > low_ ? (high_ - *p.value) / (high_ - low_) : 1;
    const double chance = p.chance.value_or(0);
    return (*p.value - chance) / (1 - chance);
  }

 private:
  bool share_;
  double low_ = 1e300, high_ = -1e300;
};

/// @param whole the number of all bins together: where that is missing, so is every bin.
HeatCell heat_cell(const Pooled* p, const Pooled* whole, const Shading& shading, const std::string& where) {
  p = View::part_or_whole(p, whole);
  if (p == nullptr) return {};
  const std::string title = p->variant + " " + where + ": " + hover_words(*p);
  if (!p->value) return {"n/a", std::nullopt, title};
  if (!p->complete()) return {format_fixed(*p->value, 2) + "!", std::nullopt, title};
  if (p->n < kFewest) return {format_fixed(*p->value, 2), std::nullopt, title};
  return {format_fixed(*p->value, 2), shading.of(*p), title};
}

/// The longest length inside the training of any of the variants, each for its own, and the longest of all.
std::vector<int64_t> end_lengths(const View& view, const std::string& suite, const VariantGroup& group) {
  const auto& lengths = view.lengths(suite);
  std::set<int64_t> ends;
  for (const auto& variant : group.variants) {
    const auto beyond = std::upper_bound(lengths.begin(), lengths.end(), view.train_length(variant));
    if (beyond != lengths.begin()) ends.insert(*(beyond - 1));
  }
  if (!lengths.empty()) ends.insert(lengths.back());
  return {ends.begin(), ends.end()};
}

/// The first of the columns, by what they begin with, that a variant's training never showed; absent: none or all.
std::optional<size_t> border_in(const std::vector<int64_t>& columns, int64_t first_beyond, int64_t train_length) {
  if (train_length <= 0) return std::nullopt;
  const auto at = std::find_if(columns.begin(), columns.end(), [&](int64_t c) { return c >= first_beyond; });
  if (at == columns.begin() || at == columns.end()) return std::nullopt;
  return static_cast<size_t>(at - columns.begin());
}

}  // namespace

std::vector<Figure> FigureMaker::by_distance(const std::string& suite, const Metric& metric) const {
  std::vector<Figure> figures;
  for (const auto& group : view_.groups(16)) {
    const auto lengths = end_lengths(view_, suite, group);
    Shading shading(metric.share());
    for (const int64_t length : lengths)
      for (const auto& variant : group.variants)
        for (const auto& bin : view_.distances(suite, metric, length))
          shading.see(view_.at_distance(variant, suite, metric, length, bin));
    for (const int64_t length : lengths) {
      HeatMap map;
      map.title = "length " + length_words(length, view_.train_length());
      map.x_label = "distance from query to evidence (tokens)";
      map.cell_width = 52;
      std::vector<Bin> shown;  // in this group
      std::vector<int64_t> starts;
      for (const auto& bin : view_.distances(suite, metric, length))
        if (std::any_of(group.variants.begin(), group.variants.end(), [&](const auto& variant) {
              return view_.at_distance(variant, suite, metric, length, bin) != nullptr;
            }))
          shown.push_back(bin), starts.push_back(bin.low), map.columns.push_back(bin_words(bin));
      if (shown.size() < 2) continue;  // the distance is that of the length
      for (const auto& variant : group.variants) {
        const int64_t trained = view_.train_length(variant);
        const bool differs = view_.train_length() == 0 && trained > 0;
        map.rows.push_back(variant + (differs ? ", trained to " + format_grouped(trained) : ""));
        map.borders.push_back(border_in(starts, trained, trained));
        auto& row = map.cells.emplace_back();
        for (const auto& bin : shown)
          row.push_back(heat_cell(view_.at_distance(variant, suite, metric, length, bin),
                                  view_.at(variant, suite, metric, length), shading,
                                  "at distance " + bin_words(bin) + ", " + format_grouped(length) + " tokens"));
      }
      map.label = suite + ": " + metric.title() + " by distance at " + map.title + ", " + group.title;
      const std::string id = suite + "-by-distance-" + std::to_string(length) + "-" + group.title;
      figures.push_back({slug(id), group.title, "", draw(map)});
    }
  }
  return figures;
}

std::vector<Figure> FigureMaker::by_depth(const std::string& suite, const Metric& metric) const {
  const auto depths = view_.depths(suite, metric);
  if (depths.size() < 2) return {};
  const auto& lengths = view_.lengths(suite);
  Shading shading(metric.share());
  for (const auto& variant : view_.variants())
    for (const int64_t length : lengths)
      for (const double depth : depths) shading.see(view_.at_depth(variant, suite, metric, length, depth));
  std::vector<Figure> figures;
  for (const auto& variant : view_.variants()) {
    if (std::none_of(lengths.begin(), lengths.end(), [&](int64_t length) {
          const Pooled* p = view_.at(variant, suite, metric, length);
          return p != nullptr && p->value;
        }))
      continue;
    HeatMap map;
    map.title = variant;
    map.cell_width = 42;
    for (const int64_t length : lengths) map.columns.push_back(format_grouped(length));
    const int64_t trained = view_.train_length(variant);
    map.borders.assign(depths.size(), border_in(lengths, trained + 1, trained));
    for (const double depth : depths) {
      map.rows.push_back(depth_words(depth));
      auto& row = map.cells.emplace_back();
      for (const int64_t length : lengths)
        row.push_back(heat_cell(view_.at_depth(variant, suite, metric, length, depth),
                                view_.at(variant, suite, metric, length), shading,
                                "at " + format_grouped(length) + ", depth " + format_number(depth)));
    }
    map.label = suite + ": " + metric.title() + " of " + variant + " by depth and length";
    figures.push_back({slug(suite + "-by-depth-" + variant), variant, "", draw(map)});
  }
  return figures;
}

std::vector<Figure> FigureMaker::short_contexts() const {
  const Summary& s = view_.summary();
  std::vector<Figure> figures;
  for (const auto& suite : s.manifest.suites) {
    RangeChart chart;
    chart.margin = s.options.margin;
    const Metric* compared = nullptr;
    for (const auto& variant : compared_variants(s)) {
      const Comparison* c = short_comparison(s, variant, suite.name);
      if (c == nullptr) continue;
      compared = &metric(c->metric);
      RangeRow row;
      row.name = variant;
      row.style = style(variant);
      row.measured = c->difference.has_value();
      row.value = c->difference.value_or(0);
      row.low = c->low.value_or(row.value);
      row.high = c->high.value_or(row.value);
      const TableCell difference = difference_cell(*c);
      row.words = difference.text + (row.measured ? " " + verdict_cell(*c).plain() : "");
      row.title = variant + " against " + c->baseline + ": " + difference.plain() + ", n = " + format_grouped(c->n);
      if (c->p_adjusted) row.title += ", Holm-adjusted " + p_words(*c->p_adjusted);
      chart.rows.push_back(row);
    }
    if (chart.rows.empty()) continue;
    chart.x_label = "scaled minus unscaled, " + compared->title() + ": " + better_words(*compared);
    chart.label = suite.name + ": difference to the unscaled weights inside the training length";
    figures.push_back({slug("short-contexts-" + suite.name), suite.name, "", draw(chart)});
  }
  return figures;
}

std::vector<Figure> FigureMaker::all() const {
  std::vector<Figure> figures;
  const auto add = [&](const std::vector<Figure>& more) { figures.insert(figures.end(), more.begin(), more.end()); };
  for (const auto& suite : view_.summary().manifest.suites) {
    const Metric* main = view_.main_metric(suite.name);
    if (main == nullptr) continue;
    for (const Metric* m : view_.shown_metrics(suite.name)) add(by_length(suite.name, *m));
    if (!view_.has_answers(suite.name)) add(by_offset(suite.name));
    add(by_distance(suite.name, *main));
    add(by_depth(suite.name, *main));
  }
  add(short_contexts());
  add(training());
  std::set<std::string> ids;
  for (auto& figure : figures)
    while (!ids.insert(figure.id).second) figure.id += "-2";  // names that differ in signs only
  return figures;
}

}  // namespace lw
