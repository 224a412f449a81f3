// figures/*.svg: the figures of report.html as files of their own, in light colours.
#include "reports/figures/figures.h"
#include "reports/registry.h"

namespace lw {

std::vector<ReportFile> make_svg_report(const Summary& s, std::span<const Record> /*records*/) {
  const View view(s);
  std::vector<ReportFile> files;
  for (const auto& figure : FigureMaker(view).all())
    files.push_back({"figures/" + figure.id + ".svg", standalone_svg(figure.svg)});
  return files;
}

}  // namespace lw
