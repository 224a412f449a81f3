// Sections about the settings themselves: training and position cards.
#include "harness/base/text.h"
#include "reports/figures/svg.h"
#include "reports/html/sections.h"
#include "reports/tables/card_tables.h"
#include "reports/tables/setting_tables.h"
#include "reports/words.h"

namespace lw {
namespace {

/// A table of its own with a heading.
std::string titled(const Table& table, const VariantHtml& dots = nullptr) {
  if (table.empty()) return "";
  return "<h3>" + escaped(table.title) + "</h3>\n<p class=\"lead\">" + escaped(table.how_to_read) + "</p>\n" +
         write_html(table, dots);
}

std::string card_body(const PositionCard& card) {
  std::string out = "<div><dl>" + html_list(card_table(card)) + "</dl>";
  const Table claims = claims_table(card);
  if (!claims.empty())
    out += html_details(text(claims.title, ": ", plural(int64_t(claims.rows.size()), "claim")), write_html(claims));
  return out + "</div>";
}

std::string card_html(const PageSource& source, const std::string& variant) {
  const SettingInfo& s = source.view.setting(variant);
  std::string summary = variant_dots(source)(variant) + " <small>" + escaped(s.scheme);
  if (s.scaling != "none" && !s.scaling.empty()) summary += " \xC2\xB7 " + escaped(s.scaling);
  summary += s.scaled ? " \xC2\xB7 applied after training</small>" : "</small>";
  const bool open = s.card && !card_disagreements(*s.card).empty();
  if (open) summary += "<span class=\"disagrees\">\xE2\x9C\x95 a declared property disagrees</span>";
  return std::string(open ? "<details open>" : "<details>") + "<summary>" + summary + "</summary><div class=\"card\">" +
         (s.card ? card_body(*s.card) : "<p>No position card in this run.</p>") + "<pre>" + escaped(s.position_yaml) +
         "</pre></div></details>\n";
}

}  // namespace

std::string training_section(const PageSource& source) {
  const auto figures = source.figures.training();
  const auto dots = variant_dots(source);
  const std::string tables =
      titled(unlearned_table(source.view)) + titled(gates_table(source.view), dots) + titled(checks_table(source.view));
  if (figures.empty() && tables.empty()) return "";
  const std::string lead = "Each thin line is the loss of one seed. " + training_lengths_words(source.summary);
  return section_head("Training", escaped(lead)) + figure_row(figures) + tables;
}

std::string card_section(const PageSource& source) {
  if (source.view.variants().empty()) return "";
  std::string out =
      section_head("Position cards",
                   "Where position enters under each setting, what the scheme declares about itself, what "
                   "was measured, and the full setting with every default.");
  for (const auto& variant : source.view.variants()) out += card_html(source, variant);
  return out;
}

}  // namespace lw
