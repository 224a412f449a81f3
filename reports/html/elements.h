// Pieces of report pages: whole documents, tables, figures side by side.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "reports/figures/figures.h"

namespace lw {

/// A section of the page; the navigation links to it.
struct Section {
  std::string id, name, body;  // body: HTML, without the <section> around it
};

/// One self-contained document. Sections with an empty body are left out.
std::string html_page(const std::string& title, const std::string& subtitle_html, const std::vector<Section>& sections,
                      const std::string& footer_html);

/// A section's heading and the paragraph that says how to read it. Both are HTML.
std::string section_head(const std::string& title, const std::string& lead);

/// Figures in two columns, or one alone; they grow with the page.
std::string figure_row(const std::vector<Figure>& figures);
/// Figures in their own size, as many beside each other as fit.
std::string figure_flow(const std::vector<Figure>& figures);

std::string html_details(const std::string& summary, const std::string& body);

}  // namespace lw
