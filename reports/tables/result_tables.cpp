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

/// A number of a variant, marked where its own training was shorter.
TableCell number_cell(const View& view, const std::string& variant, const Pooled* p, int64_t length) {
  TableCell cell = pooled_cell(p, view.summary().options.bar);
  const int64_t trained = view.train_length(variant);
  cell.beyond = trained > 0 && length > trained;
  return cell;
}

/// Where variants were trained to different lengths no column is "(trained)", so each row says how far it was.
bool lengths_differ(const View& view) { return view.train_length() == 0 && view.train_lengths().size() > 0; }

void add_trained_column(Table& table, const View& view) {
  if (!lengths_differ(view)) return;
  table.columns.push_back({.name = "trained to"});
  ++table.fixed;
}

void add_trained_cell(std::vector<TableCell>& row, const View& view, const std::string& variant) {
  if (lengths_differ(view)) row.push_back({format_grouped(view.train_length(variant))});
}

/// "n: probes behind a number, over learned seeds."
std::string counts_sentence(const Metric& metric) {
  return text("n: ", unit_name(metric.unit), "s behind a number, over learned seeds.");
}

std::string and_sentence(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : first + " " + second;
}

constexpr size_t kMostNotes = 8;  // in one table

/// How many probes of a number have no score, and why.
void note_unscored(Table& table, const Pooled* p, const std::string& place) {
  if (p == nullptr || p->complete() || !p->value) return;
  if (table.notes.size() == kMostNotes) table.notes.emplace_back("more without a score: tables/pooled.csv");
  if (table.notes.size() > kMostNotes) return;
  table.notes.push_back(text(p->variant, " ", place, ": ", p->n_total - p->n_scored, " of ",
                             plural(p->n_total, "probe"), " without a score (", p->unscored, ")"));
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
  table.how_to_read = text(capitalised(metric.title()), " at length ", length_words(length, view.train_length()), ". ",
                           counts_sentence(metric), " Other lengths: tables/pooled.csv.");
  table.columns = {variant_column()};
  add_trained_column(table, view);
  for (const auto& part : parts) table.columns.push_back({.name = words(part), .strong = true});
  each_variant(table, view, [&](const std::string& variant) {
    std::vector<TableCell> row = {{variant}};
    add_trained_cell(row, view, variant);
    for (const auto& part : parts) {
      const Pooled* p = View::part_or_whole(at(variant, metric, length, part), view.at(variant, suite, metric, length));
      row.push_back(p == nullptr ? TableCell{} : pooled_cell(p, view.summary().options.bar));
      note_unscored(table, p, "at " + words(part));
    }
    table.add(row);
  });
  table.add_counts();
  return table;
}

}  // namespace

Table length_table(const View& view, const std::string& suite, const Metric& metric) {
  Table table;
  table.id = slug(text(suite, "-", metric.name, "-by-length"));
  table.title = capitalised(metric.title()) + " by length";
  table.how_to_read = and_sentence(reference_sentence(view, suite, metric), counts_sentence(metric));
  table.by_variant = true;
  table.fixed = 2;
  table.columns = {variant_column(), {.name = "seeds"}};
  add_trained_column(table, view);
  for (const int64_t length : view.lengths(suite)) {
    const bool after_training = !table.columns.back().beyond && table.columns.size() > table.fixed;
    table.columns.push_back(length_column(length, view.train_length()));
    table.columns.back().group_start = table.columns.back().beyond && after_training;
  }
  each_variant(table, view, [&](const std::string& variant) {
    std::vector<TableCell> row = {{variant}, seeds_cell(view, variant, suite)};
    add_trained_cell(row, view, variant);
    for (const int64_t length : view.lengths(suite)) {
      const Pooled* p = view.at(variant, suite, metric, length);
      row.push_back(number_cell(view, variant, p, length));
      note_unscored(table, p, "at " + format_grouped(length));
    }
    table.add(row);
  });
  table.add_counts();
  return table;
}

/// Those of the training and the longest one.
static std::vector<int64_t> pair_lengths(const View& view, const std::string& suite) {
  const auto trained = view.train_lengths();
  std::vector<int64_t> lengths;
  for (const int64_t length : view.lengths(suite))
    if (std::find(trained.begin(), trained.end(), length) != trained.end() || length == view.lengths(suite).back())
      lengths.push_back(length);
  return lengths;
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
  add_trained_column(table, view);
  std::vector<std::string> meanings;
  for (const Metric* m : shown) meanings.push_back(text(m->brief, ": ", m->summary));
  table.how_to_read = join(meanings, ". ") + ". " + counts_sentence(*shown.front());
  const auto lengths = pair_lengths(view, suite);
  for (const int64_t length : lengths)
    for (const Metric* m : shown)
      table.columns.push_back({.name = text(m->brief, ", ", format_grouped(length)), .strong = true});
  each_variant(table, view, [&](const std::string& variant) {
    std::vector<TableCell> row = {{variant}};
    add_trained_cell(row, view, variant);
    for (const int64_t length : lengths)
      for (const Metric* m : shown) {
        const Pooled* p = view.at(variant, suite, *m, length);
        row.push_back(number_cell(view, variant, p, length));
        note_unscored(table, p, text(m->brief, " at ", format_grouped(length)));
      }
    table.add(row);
  });
  table.add_counts();
  return table;
}

Table distance_table(const View& view, const std::string& suite) {
  const Metric* metric = view.main_metric(suite);
  if (metric == nullptr) return {};
  const auto bins = view.distances(suite, *metric, view.lengths(suite).back());
  if (bins.size() < 2) return {};
  Table table = parts_table<Bin>(view, suite, bins, bin_words,
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

/// "chance 0.25", or "chance 0.06 to 0.25" where variants differ.
static std::string chance_words(const View& view, const std::string& suite) {
  double low = 1, high = 0;
  for (const auto& e : view.summary().effective_length)
    if (e.suite == suite && e.chance) low = std::min(low, *e.chance), high = std::max(high, *e.chance);
  if (high < 0.005) return "";
  return "chance " + (low < high ? share_words(low) + " to " : "") + share_words(high);
}

Table effective_length_table(const View& view) {
  Table table;
  const auto suites = answer_suites(view);
  if (suites.empty()) return table;
  table.id = "effective-length";
  table.title = "Effective length";
  table.how_to_read =
      "The longest length in tokens up to which every tested length is proven to hold an accuracy of " +
      format_fixed(view.summary().options.bar, 2) +
      ": by the lower bound of every learned seed, for all variants at once (one-sided 95 %, Bonferroni). none: proven "
      "at no length, or too few probes to prove it. In square brackets: by the mean over learned seeds, then what is "
      "not "
      "refuted. >=: the longest tested, the true one may be longer. n and intervals at each length: the tables by "
      "length.";
  table.by_variant = true;
  table.columns = {variant_column()};
  add_trained_column(table, view);
  for (const auto& suite : suites) {
    TableColumn column{.name = suite, .strong = true};
    column.note = chance_words(view, suite);
    table.columns.push_back(column);
  }
  each_variant(table, view, [&](const std::string& variant) {
    std::vector<TableCell> row = {{variant}};
    add_trained_cell(row, view, variant);
    for (const auto& suite : suites) row.push_back(reach_cell(view.effective(variant, suite)));
    table.add(row);
  });
  return table;
}

}  // namespace lw
