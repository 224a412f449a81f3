#include "reports/html/elements.h"

#include "reports/figures/svg.h"
#include "reports/html/style.h"

namespace lw {
namespace {

std::string class_of(const std::string& cls) { return cls.empty() ? "" : " class=\"" + cls + "\""; }

std::string figure_html(const Figure& figure, const std::string& cls, bool titled) {
  std::string caption = titled ? escaped(figure.title) : "";
  if (!figure.caption.empty()) caption += (caption.empty() ? "" : ": ") + escaped(figure.caption);
  return "<figure" + class_of(cls) + ">" + (caption.empty() ? "" : "<figcaption>" + caption + "</figcaption>") +
         figure.svg + "</figure>\n";
}

}  // namespace

std::string html_page(const std::string& title, const std::string& subtitle_html, const std::vector<Section>& sections,
                      const std::string& footer_html) {
  std::string out =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>" +
      escaped(title) + " \xC2\xB7 Lengthwise</title>\n<style>" + page_css() + "</style>\n</head>\n<body>\n";
  out += "<header><div class=\"brand\">Lengthwise</div><h1>" + escaped(title) + "</h1><p class=\"sub\">" +
         subtitle_html + "</p></header>\n<nav aria-label=\"Sections\">";
  for (const auto& s : sections)
    if (!s.body.empty()) out += "<a href=\"#" + s.id + "\">" + escaped(s.name) + "</a>";
  out += "</nav>\n<main>\n";
  for (const auto& s : sections)
    if (!s.body.empty()) out += "<section id=\"" + s.id + "\">\n" + s.body + "</section>\n";
  return out + "</main>\n<footer>" + footer_html + "</footer>\n</body>\n</html>\n";
}

std::string section_head(const std::string& title, const std::string& lead) {
  return "<h2>" + title + "</h2>\n<p class=\"lead\">" + lead + "</p>\n";
}

std::string figure_row(const std::vector<Figure>& figures) {
  if (figures.empty()) return "";
  if (figures.size() == 1) return figure_html(figures.front(), "alone", false);
  std::string out = "<div class=\"two\">\n";
  for (const auto& figure : figures) out += figure_html(figure, "", true);
  return out + "</div>\n";
}

std::string figure_flow(const std::vector<Figure>& figures) {
  if (figures.empty()) return "";
  std::string out = "<div class=\"flow\">\n";
  for (const auto& figure : figures) out += figure_html(figure, "heat", false);
  return out + "</div>\n";
}

std::string html_details(const std::string& summary, const std::string& body) {
  return "<details class=\"plain\"><summary>" + escaped(summary) + "</summary>" + body + "</details>\n";
}

}  // namespace lw
