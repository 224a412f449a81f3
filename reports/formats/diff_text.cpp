// A comparison of runs for the terminal, as Markdown, LaTeX and CSV.
#include "harness/base/numbers.h"
#include "harness/base/text.h"
#include "reports/tables/diff_tables.h"
#include "reports/writers/csv.h"
#include "reports/writers/latex.h"
#include "reports/writers/markdown.h"
#include "reports/writers/terminal.h"

namespace lw {
namespace {

constexpr Scope kScopes[] = {Scope::kShort, Scope::kBeyond, Scope::kLength, Scope::kDistance};

}  // namespace

std::string diff_terminal(const Diff& diff, bool color) {
  std::string out;
  for (const auto& run : diff.runs) {
    if (!out.empty()) out += "\n";
    out += painted(run.base + " -> " + run.run, Paint::kBold, color) + "\n" +
           wrapped(pairing_words(run), kTerminalWidth, "  ") + "\n\n" + write_terminal(diff_sides_table(run), color);
    for (const Scope scope : {Scope::kLength, Scope::kDistance}) {
      const Table all = diff_table(run, scope), found = diff_table(run, scope, true);
      if (all.empty()) continue;
      out += "\n" + painted(all.title, Paint::kBold, color) +
             text(": ", found.rows.size(), " of ", all.rows.size(), " differ (adjusted p < ", diff.alpha, ")\n");
      if (!found.empty()) out += terminal_rows(found, color);
    }
  }
  return terminal_text(out, color);
}

std::string diff_markdown(const Diff& diff) {
  std::string out = "# Comparison\n";
  for (const auto& run : diff.runs) {
    out += "\n## " + markdown_text(run.base) + " -> " + markdown_text(run.run) + "\n\n" +
           markdown_text(pairing_words(run) + " " + diff_sides_table(run).how_to_read) + "\n";
    for (const Scope scope : kScopes) {
      Table table = diff_table(run, scope);
      table.how_to_read.clear();  // said once, above
      if (!table.empty()) out += "\n### " + table.title + "\n\n" + write_markdown(table, table.title);
    }
  }
  return out;
}

std::string diff_latex(const Diff& diff) {
  std::string out = "% Needs the packages array, booktabs, graphicx and longtable.\n";
  for (const auto& run : diff.runs) {
    out += "\\section*{" + latex_text(run.base) + " $\\to$ " + latex_text(run.run) + "}\n" +
           latex_text(pairing_words(run)) + "\n";
    for (const Scope scope : kScopes) out += write_latex(diff_table(run, scope));
  }
  return out;
}

std::string diff_csv(const Diff& diff) {
  std::string out;
  for (const auto& run : diff.runs) {
    std::vector<const Comparison*> rows;
    for (const auto& row : run.rows) rows.push_back(&row);
    Table table = diff_rows_table(run, rows);
    // Several runs in one file: each row says which one it is about.
    table.columns.insert(table.columns.begin(), TableColumn{.name = "run", .align = Align::kLeft});
    for (auto& row : table.rows) row.cells.insert(row.cells.begin(), TableCell{run.run});
    const std::string part = write_csv(table);
    out += out.empty() ? part : part.substr(part.find('\n') + 1);
  }
  return out;
}

}  // namespace lw
