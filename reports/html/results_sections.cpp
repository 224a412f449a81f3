// Sections with results: by length, distance and depth, order swap, likelihood.
#include "harness/base/numbers.h"
#include "reports/figures/svg.h"
#include "reports/html/sections.h"
#include "reports/tables/result_tables.h"
#include "reports/words.h"

namespace lw {
namespace {

/// One metric of one suite: figures, then the numbers behind them.
std::string length_block(const PageSource& source, const std::string& suite, const Metric& metric) {
  const auto figures = source.figures.by_length(suite, metric);
  const std::string numbers = write_html(length_table(source.view, suite, metric), variant_dots(source));
  return figures.empty() ? numbers : figure_row(figures) + html_details("numbers", numbers);
}

/// A breakdown at the longest length, behind its figures.
std::string numbers_of(const PageSource& source, const Table& table) {
  return table.empty() ? "" : html_details("numbers", write_html(table, variant_dots(source), true));
}

std::string suite_heading(const SuiteMeta& suite, const std::string& more) {
  return "<h3>" + escaped(suite.name) + " <small>" + escaped(suite.summary) +
         (more.empty() || suite.summary.empty() ? "" : " \xC2\xB7 ") + escaped(more) + "</small></h3>\n";
}

}  // namespace

VariantHtml variant_dots(const PageSource& source) {
  return [&source](const std::string& variant) {
    const int tone = source.figures.style(variant).tone % kTones;
    return "<span class=\"dot d" + std::to_string(tone) + "\"></span>" + escaped(variant);
  };
}

std::string length_section(const PageSource& source) {
  std::string out;
  for (const auto& suite : source.summary.manifest.suites) {
    const Metric* main = source.view.main_metric(suite.name);
    if (main == nullptr) continue;
    const std::string reference = reference_words(source.view, suite.name, *main);
    out += suite_heading(suite, main->title() + (reference.empty() ? "" : "; " + reference));
    out += length_block(source, suite.name, *main);
    for (const Metric* m : source.view.shown_metrics(suite.name))
      if (m != main && m->shown == Shown::kAnswers)
        out += "<p><b>" + escaped(capitalised(m->title())) + "</b>: " + escaped(std::string(m->summary)) + ".</p>\n" +
               length_block(source, suite.name, *m);
  }
  if (out.empty()) return "";
  return section_head("By length",
                      "Mean over the seeds that learned the suite. Ribbons: 95 % interval; small dots: "
                      "seeds. " +
                          std::string(source.view.train_length() > 0
                                          ? "Shaded: longer than anything seen in training. "
                                          : "Dashed: the training lengths, which differ by variant. ") +
                          "RoPE scalings stand beside the schemes, with the unscaled weights that they were applied "
                          "to. n and intervals: under \"numbers\".") +
         out;
}

std::string distance_section(const PageSource& source) {
  std::string out;
  for (const auto& suite : source.summary.manifest.suites) {
    const Metric* main = source.view.main_metric(suite.name);
    if (main == nullptr) continue;
    const auto figures = source.figures.by_distance(suite.name, *main);
    if (figures.empty()) continue;
    out += suite_heading(suite, main->title());
    for (size_t i = 0; i < figures.size();) {  // one line a group of variants
      size_t end = i;
      while (end < figures.size() && figures[end].title == figures[i].title) ++end;
      out += figure_flow({figures.begin() + ptrdiff_t(i), figures.begin() + ptrdiff_t(end)});
      i = end;
    }
    out += numbers_of(source, distance_table(source.view, suite.name));
  }
  if (out.empty()) return "";
  return section_head(
             "By distance",
             "A long prompt with near evidence is no extrapolation in distance, so length alone "
             "hides which distances hold. Strong: right; pale: at chance. Right of the dashed line: "
             "distances that training never showed. Without colour: fewer than 20 probes, or some without a score "
             "(!). n and intervals: on pointing at a cell; of the longest length under \"numbers\", of all "
             "lengths in tables/pooled.csv.") +
         out;
}

std::string depth_section(const PageSource& source) {
  std::string out;
  for (const auto& suite : source.summary.manifest.suites) {
    const Metric* main = source.view.main_metric(suite.name);
    if (main == nullptr) continue;
    const auto figures = source.figures.by_depth(suite.name, *main);
    if (!figures.empty())
      out += suite_heading(suite, main->title()) + figure_flow(figures) +
             numbers_of(source, depth_table(source.view, suite.name));
  }
  if (out.empty()) return "";
  return section_head("By depth and length",
                      "Where the evidence stands in the haystack: at its start, in the middle, at its "
                      "end. Columns: length in tokens; right of the dashed line: beyond the training "
                      "length. n and intervals: as above.") +
         out;
}

std::string order_swap_section(const PageSource& source) {
  std::string out;
  for (const auto& suite : source.summary.manifest.suites) {
    std::string blocks;
    for (const Metric* m : source.view.shown_metrics(suite.name)) {
      if (m->shown != Shown::kPairs) continue;
      const std::string reference = reference_words(source.view, suite.name, *m);
      blocks += "<p><b>" + escaped(capitalised(m->title())) + "</b>: " + escaped(std::string(m->summary)) +
                (reference.empty() ? "" : "; " + escaped(reference)) + ".</p>\n" + length_block(source, suite.name, *m);
    }
    if (!blocks.empty()) out += suite_heading(suite, "") + blocks;
  }
  if (out.empty()) return "";
  return section_head("Order swap",
                      "The same tokens twice, with only the order swapped. A model that always names the first "
                      "scores half of the probes and none of the pairs.") +
         out;
}

std::string likelihood_section(const PageSource& source) {
  std::string out;
  for (const auto& suite : source.summary.manifest.suites) {
    const Metric* main = source.view.main_metric(suite.name);
    for (const Metric* m : source.view.shown_metrics(suite.name))
      if (m != main && m->shown == Shown::kLikelihood)
        out +=
            suite_heading(suite, reference_words(source.view, suite.name, *m)) + length_block(source, suite.name, *m);
  }
  for (const auto& suite : source.summary.manifest.suites) {
    if (source.view.has_answers(suite.name)) continue;
    const auto figures = source.figures.by_offset(suite.name);
    if (figures.empty()) continue;
    const std::string where = "by position, at " + format_grouped(source.view.lengths(suite.name).back()) + " tokens";
    out += suite_heading(suite, where) + figure_row(figures);
  }
  if (out.empty()) return "";
  return section_head("NLL",
                      "Nats a target, on the same targets at every length where the suite fixes them. "
                      "Dotted: the ideal predictor, which knows how the text was made.") +
         out;
}

}  // namespace lw
