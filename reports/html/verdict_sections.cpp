// Sections that conclude: verdict and protocol, effective length, short contexts.
#include <algorithm>

#include "harness/base/numbers.h"
#include "reports/figures/svg.h"
#include "reports/html/sections.h"
#include "reports/words.h"

namespace lw {

std::string verdict_section(const PageSource& source) {
  const Summary& s = source.summary;
  std::string out = "<div class=\"verdict\"><h2>How far, and at what price?</h2>\n<ul class=\"claims\">\n";
  for (const auto& claim : s.verdict)
    out += "<li class=\"" + std::string(tone_name(claim.tone)) + "\"><b>" + escaped(claim.headline) + "</b> " +
           escaped(claim.text) + "</li>\n";
  const auto met = std::count_if(s.protocol.begin(), s.protocol.end(),
                                 [](const auto& item) { return item.state == ProtocolItem::State::kMet; });
  out += "</ul>\n<div class=\"protocol\"><h3>Protocol <small>" + std::to_string(met) + " of " +
         std::to_string(s.protocol.size()) + " met</small></h3><ol>\n";
  for (const auto& item : s.protocol)
    out += "<li class=\"" + std::string(state_name(item.state)) + "\">" + escaped(item.text) +
           (item.state == ProtocolItem::State::kMissed ? " <b>(missed)</b>" : "") + "<span>" + escaped(item.why) +
           "</span></li>\n";
  return out + "</ol></div></div>\n";
}

namespace {

std::string reach_html(const EffectiveLength& e, const std::optional<int64_t>& reached) {
  const std::string text = e.text(reached);
  return text.starts_with(">= ") ? "&ge;&nbsp;" + text.substr(3) : escaped(text);
}

}  // namespace

std::string effective_section(const PageSource& source) {
  const auto suites = accuracy_suites(source.view);
  if (suites.empty()) return "";
  const double bar = source.summary.options.bar;
  std::vector<HtmlCell> heads = {{"variant", ""}};
  for (const auto& suite : suites) {
    std::string head = escaped(suite);
    for (const auto& e : source.summary.effective_length)
      if (e.suite == suite && e.chance) {
        if (*e.chance >= 0.005) head += "<br><small>chance " + share_words(*e.chance) + "</small>";
        break;
      }
    heads.push_back({head, ""});
  }
  std::vector<std::vector<HtmlCell>> rows;
  for (const auto& variant : source.view.variants()) {
    auto& row = rows.emplace_back();
    row.push_back({variant_html(source, variant), ""});
    for (const auto& suite : suites) {
      const EffectiveLength* e = source.view.effective(variant, suite);
      if (e == nullptr || e->longest == 0) {
        row.push_back({escaped(effective_words(e)), "na"});
        continue;
      }
      std::string html = "<b>" + reach_html(*e, e->point) + "</b>";
      if (e->proven != e->point || e->not_refuted != e->point)
        html += " <i>[" + reach_html(*e, e->proven) + ", " + reach_html(*e, e->not_refuted) + "]</i>";
      if (!e->reason.empty()) html += " <i>" + escaped(e->reason) + "</i>";
      row.push_back({html, ""});
    }
  }
  const std::string lead =
      "The longest length up to which every tested length holds an accuracy of " + format_fixed(bar, 2) +
      ", by the mean over learned seeds. In brackets, where they differ: what every seed proves and what is "
      "not refuted (one-sided 95 %). &ge;: the longest tested, the true one may be longer.";
  return section_head("Effective length", lead) + html_table("", heads, rows);
}

namespace {

std::string comparison_rows(const PageSource& source, const std::string& scope) {
  std::vector<std::vector<HtmlCell>> rows;
  for (const auto& c : source.summary.comparisons) {
    if (c.scope != scope) continue;
    const std::string where = c.length ? format_grouped(*c.length) : "short";
    auto& row = rows.emplace_back();
    row.push_back({variant_html(source, c.variant), ""});
    row.push_back({escaped(c.suite), "text"});
    row.push_back({where, c.in_length ? "" : "out"});
    if (!c.difference) {
      row.push_back({"n/a: " + escaped(short_reason(c.reason)), "na", 6});
      continue;
    }
    row.push_back({format_fixed(*c.baseline_value, 2), ""});
    row.push_back({format_fixed(*c.value, 2), ""});
    row.push_back({"<b>" + signed_number(*c.difference) + "</b>" +
                       (c.low ? " <i>" + signed_number(*c.low) + " to " + signed_number(*c.high) + "</i>" : ""),
                   ""});
    const bool counted = c.a + c.b + c.c + c.d > 0;
    row.push_back({counted ? "+" + format_grouped(c.b) + " \xE2\x88\x92" + format_grouped(c.c) + " <i>of " +
                                 format_grouped(c.n) + "</i>"
                           : "<i>" + format_grouped(c.n) + "</i>",
                   ""});
    row.push_back({escaped(p_words(c.p_holm.value_or(*c.p))), ""});
    std::string verdict = escaped(c.verdict);
    if (c.verdict == "undecided" && c.detectable) verdict += " <i>finds " + format_fixed(*c.detectable, 2) + "</i>";
    row.push_back({verdict, c.verdict == "better" ? "better text" : c.verdict == "worse" ? "worse text" : "text"});
  }
  const std::vector<HtmlCell> heads = {{"variant", ""},   {"suite", "text"}, {"length", ""},
                                       {"unscaled", ""},  {"scaled", ""},    {"difference", ""},
                                       {"won, lost", ""}, {"p (Holm)", ""},  {"verdict", "text"}};
  return rows.empty() ? "" : html_table("", heads, rows);
}

}  // namespace

std::string short_section(const PageSource& source) {
  const auto figures = source.figures.short_contexts();
  if (figures.empty()) return "";
  const std::string lead = "What scaling costs up to the training length of " +
                           format_grouped(source.view.train_length()) +
                           " tokens: the same weights on the same probes, with and without it. Shaded: smaller than " +
                           format_fixed(source.summary.options.margin, 2) +
                           ". Probes that only one of the two got right decide the exact p value (McNemar; sign flips "
                           "for NLL).";
  return section_head("Short contexts", lead) + figure_row(figures) +
         html_details("numbers", comparison_rows(source, "short")) +
         html_details("length by length, beyond training too", comparison_rows(source, "length"));
}

}  // namespace lw
