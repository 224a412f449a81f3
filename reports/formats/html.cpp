// report.html: one page that needs nothing else, not even a script.
#include <set>

#include "harness/base/numbers.h"
#include "reports/figures/svg.h"
#include "reports/html/sections.h"
#include "reports/registry.h"
#include "reports/words.h"

namespace lw {
namespace {

std::string subtitle(const View& view) {
  const Summary& s = view.summary();
  std::set<std::string> models;
  std::vector<std::string> listed;
  for (const auto& setting : s.manifest.settings)
    if (!setting.model.empty() && models.insert(setting.model).second) listed.push_back(setting.model);
  int64_t probes = 0;
  for (const auto& cost : s.cost) probes += cost.probes;
  std::string out = escaped(name_list(listed, 3));
  out += (out.empty() ? "" : " \xC2\xB7 ") + escaped(run_words(view)) + " \xC2\xB7 " + format_grouped(probes) +
         " scored probes";
  return out;
}

const char* const kMethods =
    "<p>How the numbers are made. Shares have Wilson intervals, over clusters where "
    "probes are not independent; mean NLL has a clustered t interval. Over three and "
    "more seeds: Student's t over seeds, never narrower than the probes themselves "
    "allow. Settings are compared on the same probes: over seeds by the seeds' own "
    "differences (Student's t); on these weights by sign flips of clusters (McNemar's exact "
    "test where a probe stands alone) with Tango's interval. p values are corrected by Holm "
    "where sentences are made, by Benjamini and Hochberg in tables. No number mixes lengths "
    "inside and beyond the training length, and what was not measured is empty with its "
    "reason. All of it is in summary.json and tables/.</p>";

}  // namespace

std::vector<ReportFile> make_html_report(const Summary& s, std::span<const Record> /*records*/) {
  const View view(s);
  const FigureMaker figures(view);
  const PageSource source{s, view, figures};
  const std::vector<Section> sections = {
      {"verdict", "Verdict", verdict_section(source)},
      {"length", "By length", length_section(source)},
      {"distance", "By distance", distance_section(source)},
      {"depth", "By depth", depth_section(source)},
      {"order", "Order swap", order_swap_section(source)},
      {"nll", "NLL", likelihood_section(source)},
      {"short", "Short contexts", short_section(source)},
      {"effective", "Effective length", effective_section(source)},
      {"checkpoints", "Checkpoints", checkpoint_section(source)},
      {"training", "Training", training_section(source)},
      {"cards", "Position cards", card_section(source)},
      {"reproduce", "Reproduce", reproduce_section(source)},
  };
  return {{"report.html", html_page(s.manifest.name, subtitle(view), sections, kMethods)}};
}

}  // namespace lw
