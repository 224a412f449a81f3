// Where weights come from that were not trained here.
#include <map>

#include "harness/base/numbers.h"
#include "reports/checkpoint_words.h"
#include "reports/figures/svg.h"
#include "reports/html/sections.h"

namespace lw {
namespace {

std::string list_html(const std::vector<std::string>& items) {
  std::string out;
  for (const auto& item : items) out += "<li>" + escaped(item) + "</li>";
  return "<ul>" + out + "</ul>";
}

/// One file or folder, whatever positions it is used under.
std::string file_html(const CheckpointWords& w) {
  std::string rows;
  const auto row = [&](const char* key, const std::string& value) {
    rows += std::string("<dt>") + key + "</dt><dd>" + escaped(value) + "</dd>\n";
  };
  row("family", w.family);
  row("stored as", w.format + ", " + w.stored);
  row("computed in", w.dtype);
  row("SHA-256", w.sha256);
  for (const auto& [suite, text] : w.texts) row(("text of " + suite).c_str(), text);
  std::string out = "<p><b>" + escaped(w.path) + "</b></p><div class=\"card\"><dl>" + rows + "</dl></div>\n";
  if (!w.notes.empty()) out += list_html(w.notes);
  if (!w.defaults.empty())
    out +=
        html_details(format_grouped(int64_t(w.defaults.size())) + " values that the file does not state were filled in",
                     list_html(w.defaults));
  return out;
}

}  // namespace

std::string checkpoint_section(const PageSource& source) {
  std::map<std::string, std::string> files;
  std::vector<std::vector<HtmlCell>> rows;
  for (const auto& variant : source.view.variants()) {
    const auto w = checkpoint_words(source.view.setting(variant));
    if (!w) continue;
    files.emplace(w->sha256 + w->dtype, file_html(*w));
    rows.push_back({{variant_html(source, variant), ""},
                    {escaped(w->declared), "text"},
                    {escaped(w->used), "text"},
                    {"<div style=\"white-space:normal;min-width:20em\">" + escaped(w->position()) + "</div>", "text"}});
  }
  if (rows.empty()) return "";
  std::string out = section_head("Checkpoints",
                                 "Weights that were loaded. The training length decides what counts as extrapolation: "
                                 "what the file declares, what this run used, and where each was found. Positions are "
                                 "the checkpoint's own but for what is named.");
  for (const auto& [key, html] : files) out += html;
  return out + html_table("",
                          {{"variant", ""}, {"declared length", "text"}, {"length used", "text"}, {"position", "text"}},
                          rows);
}

}  // namespace lw
