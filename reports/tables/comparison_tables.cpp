#include "reports/tables/comparison_tables.h"

#include <algorithm>

#include "harness/base/numbers.h"
#include "reports/tables/value_cells.h"
#include "reports/words.h"

namespace lw {
namespace {

std::vector<const Comparison*> rows_of(const Summary& summary, Scope scope) {
  std::vector<const Comparison*> rows;
  for (const auto& c : summary.comparisons)
    if (c.scope == scope) rows.push_back(&c);
  return rows;
}

/// "up to trained", "64 beyond, 32-63 back".
std::string place_words(const Comparison& c) {
  if (c.scope == Scope::kShort) return "up to trained";
  if (c.scope == Scope::kBeyond) return "beyond";
  std::string text = format_grouped(c.length.value_or(0)) + (c.in_length ? "" : " beyond");
  if (c.distance) text += ", " + bin_words(*c.distance) + " back";
  return text;
}

std::vector<TableCell> cells_of(const Comparison& c) {
  std::vector<TableCell> row = {{c.variant}, {compared_suite_words(c)}, {place_words(c)}};
  if (!c.difference) {
    row.resize(6);
    row.push_back(c.verdict == Verdict::kNone ? missing_cell(c.reason) : TableCell{});
    row.resize(10);
    row.push_back(c.verdict == Verdict::kNone ? TableCell{} : verdict_cell(c));
    return row;
  }
  const bool counted = c.a + c.b + c.c + c.d > 0;
  row.push_back({format_grouped(c.n)});
  row.push_back({format_fixed(*c.baseline_value, 2)});
  row.push_back({format_fixed(*c.value, 2)});
  row.push_back(difference_cell(c));
  row.push_back(seed_range_cell(c));
  row.push_back({counted ? "+" + format_grouped(c.b) + " -" + format_grouped(c.c) : ""});
  row.push_back({c.p_adjusted ? p_words(*c.p_adjusted) : ""});
  row.push_back(verdict_cell(c));
  return row;
}

/// What the p column holds: rows of either kind are corrected together, and differently.
std::string correction_name(std::span<const Comparison* const> rows) {
  const auto claims = std::count_if(rows.begin(), rows.end(), [](const auto* c) { return carries_claims(c->scope); });
  return claims == std::ssize(rows) ? "p (Holm)" : claims == 0 ? "p (BH)" : "p (adjusted)";
}

std::string scaling_sentence(const View& view) {
  return "Scaled minus unscaled, on the same weights and the same probes. " +
         unit_sentence(view.summary().options.margin);
}

}  // namespace

std::string compared_suite_words(const Comparison& c) {
  const std::string_view brief = metric(c.metric).brief;
  return c.suite + (brief.empty() ? "" : " (" + std::string(brief) + ")");
}

std::string unit_sentence(double margin) {
  return "Interval and p come from the seeds' own differences (Student's t); \"on these weights\" is said of these "
         "models alone, by their probes. Held: any loss is smaller than " +
         format_fixed(margin, 2) + ". Undecided: in round brackets the difference that would have been found.";
}

Table comparison_table(std::span<const Comparison* const> rows, const char* base, const char* run) {
  Table table;
  table.grouped = true;
  table.fixed = 3;
  table.columns = {{.name = "variant", .align = Align::kLeft},
                   {.name = "suite", .align = Align::kLeft},
                   {.name = "at", .align = Align::kLeft},
                   {.name = "n"},
                   {.name = base},
                   {.name = run},
                   {.name = "difference", .strong = true},
                   {.name = "seeds", .wide_only = true},
                   {.name = "won, lost", .wide_only = true},
                   {.name = correction_name(rows)},
                   {.name = "verdict", .align = Align::kLeft}};
  for (const Comparison* row : rows) table.add(cells_of(*row));
  return table;
}

Table short_contexts_table(const View& view) {
  Table table = comparison_table(rows_of(view.summary(), Scope::kShort), "unscaled", "scaled");
  table.id = "short-contexts";
  table.title = "Short contexts";
  table.by_variant = true;
  table.how_to_read = "What scaling costs up to the training length of " + trained_words(view) + ". " +
                      scaling_sentence(view) + " " + kHolmSentence;
  return table;
}

Table scaling_beyond_table(const View& view) {
  Table table = comparison_table(rows_of(view.summary(), Scope::kBeyond), "unscaled", "scaled");
  table.id = "scaling-beyond";
  table.title = "Scaling beyond the training length";
  table.by_variant = true;
  table.how_to_read =
      "All lengths beyond the training length together. " + scaling_sentence(view) + " " + kHolmSentence;
  return table;
}

Table scaling_by_length_table(const View& view) {
  Table table = comparison_table(rows_of(view.summary(), Scope::kLength), "unscaled", "scaled");
  table.id = "scaling-by-length";
  table.title = "Scaling, length by length";
  table.by_variant = true;
  table.how_to_read = scaling_sentence(view) + " " + kExploredSentence;
  return table;
}

Table short_overview_table(const View& view) {
  const Summary& s = view.summary();
  Table table;
  table.id = "short-contexts-overview";
  table.title = "Short contexts";
  table.how_to_read = "Up to the training length, " + trained_words(view) + ". " + scaling_sentence(view);
  table.by_variant = true;
  table.fixed = 2;
  table.columns = {{.name = "variant", .align = Align::kLeft}, {.name = "unscaled", .align = Align::kLeft}};
  for (const auto& suite : s.manifest.suites) {
    const Metric* main = view.main_metric(suite.name);
    TableColumn column{.name = suite.name, .strong = true};
    if (main != nullptr) column.note = main->nats;
    table.columns.push_back(column);
  }
  for (const auto& variant : compared_variants(s)) {
    std::vector<TableCell> row = {{variant}, {view.baseline(variant)}};
    for (const auto& suite : s.manifest.suites) {
      const Comparison* c = short_comparison(s, variant, suite.name);
      TableCell cell = c == nullptr ? TableCell{} : difference_cell(*c);
      if (c != nullptr && c->difference) {
        const TableCell verdict = verdict_cell(*c);
        cell.note = verdict.text;
        cell.state = verdict.state;
      }
      row.push_back(cell);
    }
    table.add(row);
  }
  return table;
}

}  // namespace lw
