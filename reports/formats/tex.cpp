// report.tex: verdict and tables as a document whose tables can be copied into a paper.
#include "harness/base/text.h"
#include "reports/registry.h"
#include "reports/tables/report_tables.h"
#include "reports/words.h"
#include "reports/writers/latex.h"

namespace lw {
namespace {

std::string latex_verdict(const Summary& s) {
  std::string out = "\\section*{Verdict}\n\\begin{itemize}\n";
  for (const auto& claim : s.verdict)
    out += "\\item \\textbf{" + latex_text(claim.headline) + "} " + latex_text(claim.text) + "\n";
  out += "\\end{itemize}\n\\textbf{Protocol:} " + latex_text(protocol_count(s)) + ".\n";
  std::string items;
  for (const auto& item : s.protocol)
    items += "\\item " + latex_text(item.text) + " (" + std::string(answer_words(item.state)) +
             "): " + latex_text(item.why) + "\n";
  return items.empty() ? out : out + "\\begin{itemize}\n" + items + "\\end{itemize}\n";
}

}  // namespace

std::vector<ReportFile> make_tex_report(const Summary& s, std::span<const Record> /*records*/) {
  const View view(s);
  std::string out = text("\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\usepackage[margin=2.5cm]{geometry}\n",
                         kLatexPackages, "\\begin{document}\n\\section*{", latex_text(s.manifest.name), "}\n",
                         latex_text(run_words(view)), ". ", latex_text(kMeansSentence), "\n\n", latex_verdict(s));
  for (const auto& section : report_tables(view)) {
    out += "\n\\section*{" + latex_text(section.title) + "}\n" + latex_text(section.lead) + "\n";
    for (const auto& table : section.tables) out += "\n" + write_latex(table);
    out += "\\clearpage\n";
  }
  if (!s.manifest.config.empty()) out += "\\noindent{\\footnotesize " + latex_text(config_words(s.manifest)) + "}\n";
  return {{"report.tex", out + "\\end{document}\n"}};
}

}  // namespace lw
