// A comparison as one page: differences with their intervals, then every row.
#include "harness/base/numbers.h"
#include "reports/diff_words.h"
#include "reports/figures/range_chart.h"
#include "reports/figures/svg.h"
#include "reports/html/elements.h"

namespace lw {
namespace {

std::string rows_table(const std::vector<const DiffRow*>& rows) {
  std::vector<HtmlCell> heads;
  for (const auto& head : diff_heads()) {
    const bool text = heads.size() == 1 || heads.size() == 2 || head == "verdict";
    heads.push_back({escaped(head), text ? "text" : ""});
  }
  std::vector<std::vector<HtmlCell>> lines;
  for (const DiffRow* row : rows) {
    auto& line = lines.emplace_back();
    for (const auto& item : diff_items(*row)) line.push_back({escaped(item), heads[line.size()].cls});
    if (row->verdict == "worse" || row->lost > 0) line.back().cls += " worse";
    if (row->verdict == "better") line.back().cls += " better";
  }
  return html_table("", heads, lines);
}

/// Differences of one side of the training length, by suite.
std::string range_figure(const std::vector<const DiffRow*>& rows, const std::string& title) {
  RangeChart chart;
  chart.width = 760;
  for (const DiffRow* row : rows) {
    RangeRow line;
    const bool alone = rows.front()->variant == rows.back()->variant;
    line.name = (alone ? "" : row->variant + ", ") + diff_suite(*row);
    line.measured = row->difference.has_value();
    line.value = row->difference.value_or(0);
    line.low = row->low.value_or(line.value);
    line.high = row->high.value_or(line.value);
    line.style = {row->verdict == "worse" ? 1 : row->verdict == "better" ? 2 : 0, 0};
    line.words = line.measured ? signed_number(line.value) + " " + row->verdict : row->reason;
    line.title = line.name + ": " + line.words;
    chart.rows.push_back(line);
  }
  chart.x_label = "run minus base";
  chart.label = title + ": differences with 95 % intervals";
  return figure_row({Figure{slug(title), title, "", draw(chart)}});
}

}  // namespace

std::string diff_html(const Diff& diff) {
  std::vector<Section> sections;
  for (size_t i = 0; i < diff.runs.size(); ++i) {
    const RunDiff& run = diff.runs[i];
    std::string body = section_head(escaped(run.base + " \xE2\x86\x92 " + run.run), escaped(pairing_words(run)));
    for (const std::string scope : {"short", "beyond"}) {
      const auto rows = rows_of(run, scope, false);
      if (rows.empty()) continue;
      body += "<h3>" + scope_title(scope) + "</h3>\n" + range_figure(rows, scope_title(scope)) + rows_table(rows);
    }
    for (const std::string scope : {"length", "distance"}) {
      const auto all = rows_of(run, scope, false), found = rows_of(run, scope, true);
      if (all.empty()) continue;
      body += "<h3>" + scope_title(scope) + " <small>" + std::to_string(found.size()) + " of " +
              std::to_string(all.size()) + " differ</small></h3>\n";
      if (!found.empty()) body += rows_table(found);
      body += html_details("all rows", rows_table(all));
    }
    sections.push_back({"run-" + std::to_string(i + 1), run.run, body});
  }
  const std::string subtitle = "paired by probe and prompt \xC2\xB7 Holm-adjusted p &lt; " + format_number(diff.alpha) +
                               " counts as a difference";
  return html_page(
      "Comparison", subtitle, sections,
      "<p>Shares: exact McNemar test with Tango's interval. Targets and NLL: sign flips over clusters with a "
      "clustered t interval.</p>");
}

}  // namespace lw
