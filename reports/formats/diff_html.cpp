// A comparison of runs as one page: differences with their intervals, then every row.
#include <algorithm>

#include "harness/base/numbers.h"
#include "harness/base/text.h"
#include "reports/figures/diff_curves.h"
#include "reports/figures/range_chart.h"
#include "reports/figures/svg.h"
#include "reports/html/elements.h"
#include "reports/tables/comparison_tables.h"
#include "reports/tables/diff_tables.h"
#include "reports/tables/value_cells.h"
#include "reports/words.h"
#include "reports/writers/html.h"

namespace lw {
namespace {

int tone_of(Verdict verdict) {
  switch (state_of(verdict)) {
    case CellState::kBad:
      return 1;
    case CellState::kGood:
      return 2;
    default:
      return 0;
  }
}

/// Differences of one side of the training length, of metrics with the same unit and the same better end.
std::string range_figure(const std::vector<const Comparison*>& rows, const std::string& title, const Metric& first) {
  RangeChart chart;
  chart.width = 760;
  const bool alone = rows.front()->variant == rows.back()->variant;
  for (const Comparison* row : rows) {
    RangeRow line;
    line.name = (alone ? "" : row->variant + ", ") + compared_suite_words(*row);
    line.measured = row->difference.has_value();
    line.value = row->difference.value_or(0);
    line.low = row->low.value_or(line.value);
    line.high = row->high.value_or(line.value);
    line.style = {tone_of(row->verdict), 0};
    line.words = line.measured ? text(signed_number(line.value), " ", verdict_words(row->verdict)) : row->reason;
    line.title = text(line.name, ": ", difference_cell(*row).plain(), ", n = ", format_grouped(row->n));
    chart.rows.push_back(line);
  }
  const std::string unit = first.share() ? "share" : std::string(first.nats);
  chart.x_label = text("run minus base (", unit, "): ", better_words(first));
  chart.label = text(title, ": differences in ", unit, " with 95 % intervals");
  return figure_row({Figure{slug(text(title, "-", unit)), title, "", draw(chart)}});
}

/// A figure for each unit and direction, so that no axis holds two.
std::string range_figures(const std::vector<const Comparison*>& rows, const std::string& title) {
  std::vector<std::pair<const Metric*, std::vector<const Comparison*>>> kinds;
  for (const Comparison* row : rows) {
    const Metric& m = metric(row->metric);
    auto kind = std::find_if(kinds.begin(), kinds.end(),
                             [&](const auto& k) { return k.first->nats == m.nats && k.first->better == m.better; });
    if (kind == kinds.end()) kind = kinds.insert(kinds.end(), {&m, {}});
    kind->second.push_back(row);
  }
  std::string out;
  for (const auto& [first, of_kind] : kinds) out += range_figure(of_kind, title, *first);
  return out;
}

/// Every compared setting over length and over distance.
std::string curves_body(const Diff& diff) {
  std::string body;
  for (const Scope scope : {Scope::kDistance, Scope::kLength}) {
    const auto figures = diff_curves(diff, scope);
    if (!figures.empty()) body += "<h3>" + escaped(std::string(scope_title(scope))) + "</h3>\n" + figure_row(figures);
  }
  if (body.empty()) return "";
  return section_head(
             "Curves",
             "Base and runs on the probes that they share; below, run minus base with its 95 % interval. n: on "
             "pointing at a mark, and in the tables.") +
         body;
}

std::string run_body(const RunDiff& run) {
  std::string body = section_head(escaped(run.base + " \xE2\x86\x92 " + run.run),
                                  escaped(pairing_words(run) + " " + diff_sides_table(run).how_to_read));
  for (const Scope scope : {Scope::kShort, Scope::kBeyond}) {
    const Table table = diff_table(run, scope);
    if (table.empty()) continue;
    body += "<h3>" + escaped(table.title) + "</h3>\n" + range_figures(diff_rows(run, scope), table.title) +
            write_html(table);
  }
  for (const Scope scope : {Scope::kLength, Scope::kDistance}) {
    const Table all = diff_table(run, scope), found = diff_table(run, scope, true);
    if (all.empty()) continue;
    body += "<h3>" + escaped(all.title) +
            text(" <small>", found.rows.size(), " of ", all.rows.size(), " differ</small></h3>\n") + write_html(found) +
            html_details("all rows", write_html(all));
  }
  return body;
}

}  // namespace

std::string diff_html(const Diff& diff) {
  std::vector<Section> sections = {{"curves", "Curves", curves_body(diff)}};
  for (size_t i = 0; i < diff.runs.size(); ++i)
    sections.push_back({text("run-", i + 1), diff.runs[i].run, run_body(diff.runs[i])});
  const std::string subtitle =
      "paired by probe and prompt \xC2\xB7 a corrected p &lt; " + format_number(diff.alpha) + " counts as a difference";
  return html_page(
      "Comparison", subtitle, sections,
      "<p>Over two and more seeds: Student's t over the seeds' own differences. On given weights: for shares an exact "
      "test by sign flips of clusters (McNemar's where a probe stands alone) with Tango's interval; for targets and "
      "NLL sign flips of clusters with a clustered t interval.</p>");
}

}  // namespace lw
