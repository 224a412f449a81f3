// figures/*.png: the figures of figures/*.svg as bitmaps, drawn by librsvg's rsvg-convert.
#include "harness/base/subprocess.h"
#include "harness/base/text.h"
#include "reports/outside_program.h"
#include "reports/registry.h"

namespace lw {

std::vector<ReportFile> make_svg_report(const Summary& s, std::span<const Record> records);  // formats/svg.cpp

namespace {

constexpr std::string_view kFrom = ".svg", kTo = ".png";

const OutsideProgram& png_program() {
  static const OutsideProgram program{"png", {"rsvg-convert"}, "install it: its package is librsvg2-bin"};
  return program;
}

}  // namespace

void require_png_report() { (void)path_of(png_program()); }

std::vector<ReportFile> make_png_report(const Summary& s, std::span<const Record> records) {
  // Twice the size, for screens of today; on white, since a page behind it may be dark.
  const std::vector<std::string> command = {path_of(png_program()), "--format=png", "--zoom=2",
                                            "--background-color=white"};
  std::vector<ReportFile> files;
  for (const auto& figure : make_svg_report(s, records))
    files.push_back(
        {text(figure.path.substr(0, figure.path.size() - kFrom.size()), kTo), output_of(command, figure.bytes)});
  return files;
}

}  // namespace lw
