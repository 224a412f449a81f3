// A list of runs as one page, with a link to each report.
#include <map>

#include "harness/base/text.h"
#include "reports/figures/svg.h"
#include "reports/html/elements.h"
#include "reports/run_index.h"
#include "reports/tables/run_index_table.h"
#include "reports/writers/html.h"

namespace lw {
namespace {

/// A path as part of an address: all but letters, digits, "/" and "-._~" as %NN (RFC 3986).
std::string address_of(const std::string& path) {
  static constexpr const char* kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/-._~").find(c) != std::string_view::npos;
    if (plain)
      out += c;
    else
      out += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
  }
  return out;
}

/// The name of a run's folder, as a link where it has a page.
VariantHtml folder_links(const RunIndex& index) {
  std::map<std::string, std::string> addresses;
  for (const auto& run : index.runs)
    if (!run.page.empty()) addresses[run.folder] = address_of("./" + run.folder + "/" + run.page);
  return [addresses](const std::string& folder) {
    const auto known = addresses.find(folder);
    if (known == addresses.end()) return escaped(folder);
    return "<a href=\"" + escaped(known->second) + "\">" + escaped(folder) + "</a>";
  };
}

/// The rows of a table with its heading; "" for a table without rows.
std::string table_section(const Table& table, const VariantHtml& links) {
  if (table.empty()) return "";
  return section_head(escaped(table.title), escaped(table.how_to_read)) + write_html(table, links);
}

}  // namespace

std::string run_index_html(const RunIndex& index) {
  const std::vector<Section> sections = {
      {"runs", "Runs", table_section(run_index_table(index), folder_links(index))},
      {"unreadable", "Could not be read", table_section(run_faults_table(index), nullptr)},
  };
  return html_page(
      "Runs", escaped(run_index_words(index)), sections,
      "<p>Written by <code>lengthwise index</code>. Each number is that of the run's own summary.json; runs "
      "are compared by <code>lengthwise diff</code>.</p>");
}

}  // namespace lw
