// Sections with results: by length, distance and depth, order swap, likelihood.
#include "harness/base/numbers.h"
#include "reports/figures/svg.h"
#include "reports/html/sections.h"
#include "reports/observations.h"
#include "reports/words.h"

namespace lw {
namespace {

/// Values of a metric by length with their intervals; neighbours without one are said once.
std::string length_table(const PageSource& source, const std::string& suite, const std::string& metric) {
  const View& view = source.view;
  const auto& lengths = view.lengths(suite);
  const int64_t train = view.train_length();
  std::vector<HtmlCell> heads = {{"variant", ""}, {"seeds learned", ""}};
  for (const int64_t length : lengths) heads.push_back({length_words(length, train), length > train ? "out" : ""});
  std::vector<std::vector<HtmlCell>> rows;
  bool partly = false, failed = false;
  for (const auto& variant : view.variants()) {
    auto& row = rows.emplace_back();
    row.push_back({variant_html(source, variant), ""});
    const std::string seeds = seeds_words(view, variant, suite);
    row.push_back({seeds, seeds.back() == '*' ? "warn" : ""});
    failed = failed || seeds.back() == '*';
    std::string last;  // the reason in the cell before, if it had one
    for (const int64_t length : lengths) {
      const Pooled* p = view.at(variant, suite, metric, length);
      const std::string side = length > train ? "out" : "";
      if (p != nullptr && p->value) {
        std::string html = "<b>" + pooled_value_words(p) + "</b>";
        if (p->low) html += " <i>" + format_fixed(*p->low, 2) + "\xE2\x80\x93" + format_fixed(*p->high, 2) + "</i>";
        row.push_back({html, side});
        partly = partly || p->n_scored < p->n_total;
        last.clear();
        continue;
      }
      const std::string words = escaped(pooled_value_words(p)), cls = side.empty() ? "na" : "na " + side;
      if (words == last && row.back().cls == cls)
        ++row.back().span;
      else
        row.push_back({words, cls});
      last = words;
    }
  }
  std::string notes = partly ? "!: some probes have no score" : "";
  if (failed) notes += (partly ? "; " : "") + std::string("*: a seed did not pass its gate and is left out");
  return html_table(notes, heads, rows);
}

/// One metric of one suite: figures, then the numbers behind them.
std::string length_block(const PageSource& source, const std::string& suite, const std::string& metric) {
  const auto figures = source.figures.by_length(suite, metric);
  const std::string numbers = length_table(source, suite, metric);
  return figures.empty() ? numbers : figure_row(figures) + html_details("numbers", numbers);
}

std::string suite_heading(const SuiteMeta& suite, const std::string& more) {
  return "<h3>" + escaped(suite.name) + " <small>" + escaped(suite.summary) +
         (more.empty() || suite.summary.empty() ? "" : " \xC2\xB7 ") + escaped(more) + "</small></h3>\n";
}

}  // namespace

std::string variant_html(const PageSource& source, const std::string& variant) {
  const int tone = source.figures.style(variant).tone % kTones;
  return "<span class=\"dot d" + std::to_string(tone) + "\"></span>" + escaped(variant);
}

std::string length_section(const PageSource& source) {
  std::string out;
  for (const auto& suite : source.summary.manifest.suites) {
    const std::string metric = source.view.main_metric(suite.name);
    if (metric.empty()) continue;
    const std::string reference = reference_words(source.view, suite.name, metric);
    out += suite_heading(suite, metric_words(metric) + (reference.empty() ? "" : "; " + reference));
    out += length_block(source, suite.name, metric);
    if (source.view.has(suite.name, "target_accuracy"))
      out += "<h3>" + escaped(suite.name) +
             "<small>share of targets right: a probe counts as right only when all of its targets "
             "are</small></h3>\n" +
             length_block(source, suite.name, "target_accuracy");
  }
  if (out.empty()) return "";
  return section_head("By length",
                      "Mean over the seeds that learned the suite. Ribbons: 95 % interval; small dots: "
                      "seeds. Shaded: longer than anything seen in training. RoPE scalings stand beside "
                      "the schemes, with the unscaled weights they were put on.") +
         out;
}

std::string distance_section(const PageSource& source) {
  std::string out;
  for (const auto& suite : source.summary.manifest.suites) {
    const std::string metric = source.view.main_metric(suite.name);
    if (metric.empty()) continue;
    const auto figures = source.figures.by_distance(suite.name, metric);
    if (figures.empty()) continue;
    out += suite_heading(suite, metric_words(metric));
    for (size_t i = 0; i < figures.size();) {  // one line a group of variants
      size_t end = i;
      while (end < figures.size() && figures[end].title == figures[i].title) ++end;
      out += figure_flow({figures.begin() + ptrdiff_t(i), figures.begin() + ptrdiff_t(end)});
      i = end;
    }
  }
  if (out.empty()) return "";
  return section_head("By distance",
                      "A long prompt with near evidence is no extrapolation in distance, so length alone "
                      "hides which distances hold. Strong: right; pale: at chance. Right of the dashed line: "
                      "distances that training never showed. Without colour: fewer than 20 probes.") +
         out;
}

std::string depth_section(const PageSource& source) {
  std::string out;
  for (const auto& suite : source.summary.manifest.suites) {
    const std::string metric = source.view.main_metric(suite.name);
    if (metric.empty()) continue;
    const auto figures = source.figures.by_depth(suite.name, metric);
    if (!figures.empty()) out += suite_heading(suite, metric_words(metric)) + figure_flow(figures);
  }
  if (out.empty()) return "";
  return section_head("By depth and length",
                      "Where in the haystack the evidence was put: at its start, in the middle, at its "
                      "end. Columns: length in tokens; right of the dashed line: beyond the training "
                      "length.") +
         out;
}

std::string order_section(const PageSource& source) {
  std::string out;
  for (const auto& suite : source.summary.manifest.suites) {
    if (!source.view.has(suite.name, "pair_accuracy")) continue;
    const std::string reference = reference_words(source.view, suite.name, "pair_accuracy");
    out += suite_heading(suite, reference);
    out += "<p><b>Pair accuracy</b>: both orders of a pair right.</p>\n" +
           length_block(source, suite.name, "pair_accuracy");
    out +=
        "<p><b>Position-blind share</b>: pairs whose answer stays when the order is swapped. Lower is better.</p>\n" +
        length_block(source, suite.name, "position_blind");
  }
  if (out.empty()) return "";
  return section_head("Order swap",
                      "The same tokens twice, only the order swapped. A model that always names the first "
                      "scores half of the probes and none of the pairs.") +
         out;
}

std::string likelihood_section(const PageSource& source) {
  std::string out;
  for (const auto& suite : source.summary.manifest.suites) {
    if (source.view.main_metric(suite.name) != "excess_nll") continue;
    const std::string reference = reference_words(source.view, suite.name, "nll");
    out += suite_heading(suite, reference);
    out += length_block(source, suite.name, "nll");
  }
  for (const auto& suite : source.summary.manifest.suites) {
    if (counts_answers(source.view.main_metric(suite.name))) continue;
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
