// figures/*.svg: the figures of report.html as files of their own, in light colours.
#include "reports/figures/figures.h"
#include "reports/registry.h"

namespace lw {

std::vector<ReportFile> make_svg_report(const Summary& s, std::span<const Record> /*records*/) {
  const View view(s);
  std::vector<ReportFile> files;
  const std::string style =
      "<style>text{font-family:Helvetica,Arial,\"DejaVu Sans\",sans-serif}" + figure_css(false) + "</style>";
  for (const auto& figure : FigureMaker(view).all()) {
    std::string svg = figure.svg;
    svg.insert(svg.find('>') + 1, style);
    files.push_back({"figures/" + figure.id + ".svg", svg + "\n"});
  }
  return files;
}

}  // namespace lw
