// Sections that conclude: verdict and protocol, effective length, short contexts.
#include "reports/figures/svg.h"
#include "reports/html/sections.h"
#include "reports/tables/comparison_tables.h"
#include "reports/tables/result_tables.h"
#include "reports/words.h"

namespace lw {

std::string verdict_section(const PageSource& source) {
  const Summary& s = source.summary;
  std::string out = "<div class=\"verdict\"><h2>How far, and at what price?</h2>\n<ul class=\"claims\">\n";
  for (const auto& claim : s.verdict)
    out += "<li class=\"" + std::string(tone_name(claim.tone)) + "\"><b>" + escaped(claim.headline) + "</b> " +
           escaped(claim.text) + "</li>\n";
  out += "</ul>\n<div class=\"protocol\"><h3>Protocol <small>" + protocol_count(s) + "</small></h3><ol>\n";
  for (const auto& item : s.protocol)
    out += "<li class=\"" + std::string(state_name(item.state)) + "\">" + escaped(item.text) + " <b>(" +
           std::string(answer_words(item.state)) + ")</b><span>" + escaped(item.why) + "</span></li>\n";
  return out + "</ol></div></div>\n";
}

std::string effective_section(const PageSource& source) {
  const Table table = effective_length_table(source.view);
  if (table.empty()) return "";
  return section_head(table.title, escaped(table.how_to_read)) + write_html(table, variant_dots(source));
}

std::string short_section(const PageSource& source) {
  const auto figures = source.figures.short_contexts();
  if (figures.empty()) return "";
  const Table table = short_contexts_table(source.view);
  const std::string lead = table.how_to_read + " Shaded in the figures: differences smaller than that.";
  const auto dots = variant_dots(source);
  return section_head(table.title, escaped(lead)) + figure_row(figures) +
         html_details("numbers", write_html(table, dots)) +
         html_details("beyond the training length", write_html(scaling_beyond_table(source.view), dots)) +
         html_details("length by length, beyond training too", write_html(scaling_by_length_table(source.view), dots));
}

}  // namespace lw
