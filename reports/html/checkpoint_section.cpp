// Where weights come from that were not trained here.
#include "harness/base/numbers.h"
#include "reports/figures/svg.h"
#include "reports/html/sections.h"
#include "reports/tables/checkpoint_tables.h"

namespace lw {
namespace {

std::string list_html(const std::vector<std::string>& items) {
  std::string out;
  for (const auto& item : items) out += "<li>" + escaped(item) + "</li>";
  return "<ul>" + out + "</ul>";
}

/// Notes on one file or folder, and what was filled in.
std::string notes_html(const CheckpointInfo& info) {
  std::string out;
  if (!info.notes.empty()) out += "<p>" + escaped(info.path) + "</p>" + list_html(info.notes);
  std::vector<std::string> filled;
  for (const auto& value : info.defaults) filled.push_back(filled_words(value));
  if (!filled.empty())
    out += html_details(
        format_grouped(int64_t(filled.size())) + " values that " + info.path + " does not state were filled in",
        list_html(filled));
  return out;
}

}  // namespace

std::string checkpoint_section(const PageSource& source) {
  const Table table = checkpoints_table(source.view);
  if (table.empty()) return "";
  std::string out = section_head(table.title, escaped(table.how_to_read)) + write_html(table, variant_dots(source)) +
                    write_html(checkpoint_files_table(source.view), nullptr, true) +
                    write_html(checkpoint_texts_table(source.view), nullptr, true);
  for (const CheckpointInfo* info : checkpoints_of(source.view)) out += notes_html(*info);
  return out;
}

}  // namespace lw
