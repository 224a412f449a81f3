#include "reports/tables/result_tables.h"

#include <algorithm>

#include "harness/base/error.h"
#include "harness/base/numbers.h"
#include "harness/base/text.h"
#include "reports/figures/figures.h"
#include "reports/tables/value_cells.h"
#include "reports/words.h"

namespace lw {
namespace {

TableColumn variant_column() { return {.name = "variant", .align = Align::kLeft}; }

/// Calls add(variant) for each variant, with a heading before each group where there are several.
template <class Add>
void each_variant(Table& table, const View& view, const Add& add) {
  const auto groups = view.groups(view.variants().size() + 1);
  for (const auto& group : groups) {
    if (groups.size() > 1) table.add_heading(group.title);
    for (const auto& variant : group.variants) {
      const bool shown_above = groups.size() > 1 && variant == view.baseline(group.variants.back());
      if (!shown_above) add(variant);
    }
  }
}

/// "Chance 0.25; guessing 'last' 0.25.": what scores have to be held against.
std::string reference_sentence(const View& view, const std::string& suite, const Metric& metric) {
  const std::string words = reference_words(view, suite, metric);
  return words.empty() ? "" : capitalised(words) + ".";
}

/// A table of the main metric in parts of the longest length. A part that no probe fell into is empty, unless there
/// is no number at this length at all.
template <class Part, class At>
Table parts_table(const View& view, const std::string& suite, const std::vector<Part>& parts,
                  std::string (*words)(const Part&), const At& at) {
  const Metric& metric = *view.main_metric(suite);
  const int64_t length = view.lengths(suite).back();
  Table table;
  table.by_variant = true;
  table.how_to_read = capitalised(metric.title()) + " at length " + length_words(length, view.train_length()) + ".";
  table.columns = {variant_column()};
  for (const auto& part : parts) table.columns.push_back({.name = words(part), .strong = true});
  each_variant(table, view, [&](const std::string& variant) {
    std::vector<TableCell> row = {{variant}};
    for (const auto& part : parts) {
      const Pooled* p = View::part_or_whole(at(variant, metric, length, part), view.at(variant, suite, metric, length));
      TableCell cell = p == nullptr ? TableCell{} : pooled_cell(p, view.summary().options.bar);
      if (p != nullptr && p->value) cell.low.clear(), cell.high.clear(), cell.brief = cell.text;
      row.push_back(cell);
    }
    table.add(row);
  });
  return table;
}

}  // namespace

Table length_table(const View& view, const std::string& suite, const Metric& metric) {
  Table table;
  table.id = slug(text(suite, "-", metric.name, "-by-length"));
  table.title = capitalised(metric.title()) + " by length";
  table.how_to_read = reference_sentence(view, suite, metric);
  table.by_variant = true;
  table.fixed = 2;
  table.columns = {variant_column(), {.name = "seeds"}};
  for (const int64_t length : view.lengths(suite)) {
    table.columns.push_back(length_column(length, view.train_length()));
    auto& column = table.columns.back();
    column.group_start = column.beyond && table.columns.size() > 3 && !table.columns[table.columns.size() - 2].beyond;
  }
  each_variant(table, view, [&](const std::string& variant) {
    std::vector<TableCell> row = {{variant}, seeds_cell(view, variant, suite)};
    for (const int64_t length : view.lengths(suite))
      row.push_back(pooled_cell(view.at(variant, suite, metric, length), view.summary().options.bar));
    table.add(row);
  });
  return table;
}

Table pairs_table(const View& view, const std::string& suite) {
  Table table;
  std::vector<const Metric*> shown;
  for (const Metric* m : view.shown_metrics(suite))
    if (m->shown == Shown::kPairs) shown.push_back(m);
  if (shown.empty()) return table;
  table.id = slug(suite + "-pairs");
  table.title = "Pairs";
  table.by_variant = true;
  table.columns = {variant_column()};
  std::vector<std::string> meanings;
  for (const Metric* m : shown) meanings.push_back(text(m->brief, ": ", m->summary));
  table.how_to_read = join(meanings, ". ") + ".";
  std::vector<int64_t> lengths;
  for (const int64_t length : view.lengths(suite))
    if (length == view.train_length() || length == view.lengths(suite).back()) lengths.push_back(length);
  for (const int64_t length : lengths)
    for (const Metric* m : shown)
      table.columns.push_back({.name = text(m->brief, ", ", format_grouped(length)), .strong = true});
  each_variant(table, view, [&](const std::string& variant) {
    std::vector<TableCell> row = {{variant}};
    for (const int64_t length : lengths)
      for (const Metric* m : shown)
        row.push_back(pooled_cell(view.at(variant, suite, *m, length), view.summary().options.bar));
    table.add(row);
  });
  return table;
}

Table distance_table(const View& view, const std::string& suite) {
  const Metric* metric = view.main_metric(suite);
  if (metric == nullptr || view.distances(suite, *metric).size() < 2) return {};
  Table table = parts_table<Bin>(view, suite, view.distances(suite, *metric), bin_words,
                                 [&](const std::string& variant, const Metric& m, int64_t length, const Bin& bin) {
                                   return view.at_distance(variant, suite, m, length, bin);
                                 });
  table.id = slug(suite + "-by-distance");
  table.title = "By distance between query and evidence";
  return table;
}

Table depth_table(const View& view, const std::string& suite) {
  const Metric* metric = view.main_metric(suite);
  if (metric == nullptr || view.depths(suite, *metric).size() < 2) return {};
  Table table =
      parts_table<double>(view, suite, view.depths(suite, *metric), depth_words,
                          [&](const std::string& variant, const Metric& m, int64_t length, const double& depth) {
                            return view.at_depth(variant, suite, m, length, depth);
                          });
  table.id = slug(suite + "-by-depth");
  table.title = "By depth of the evidence";
  return table;
}

Table effective_length_table(const View& view) {
  Table table;
  const auto suites = answer_suites(view);
  if (suites.empty()) return table;
  table.id = "effective-length";
  table.title = "Effective length";
  table.how_to_read = "The longest length in tokens up to which every tested length holds an accuracy of " +
                      format_fixed(view.summary().options.bar, 2) +
                      ", by the mean over learned seeds. In square brackets, where they differ: what every seed proves "
                      "and what is not refuted (one-sided 95 %). >=: the longest tested, the true one may be longer.";
  table.by_variant = true;
  table.columns = {variant_column()};
  for (const auto& suite : suites) {
    TableColumn column{.name = suite, .strong = true};
    for (const auto& e : view.summary().effective_length)
      if (e.suite == suite && e.chance && *e.chance >= 0.005) column.note = "chance " + share_words(*e.chance);
    table.columns.push_back(column);
  }
  each_variant(table, view, [&](const std::string& variant) {
    std::vector<TableCell> row = {{variant}};
    for (const auto& suite : suites) row.push_back(reach_cell(view.effective(variant, suite)));
    table.add(row);
  });
  return table;
}

}  // namespace lw
