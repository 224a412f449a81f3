// report.pdf: report.html on paper, printed by WeasyPrint or a browser without a window.
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"
#include "harness/base/subprocess.h"
#include "harness/base/text.h"
#include "reports/figures/palette.h"
#include "reports/outside_program.h"
#include "reports/registry.h"

namespace lw {

std::vector<ReportFile> make_html_report(const Summary& s, std::span<const Record> records);  // formats/html.cpp

namespace {

constexpr const char* kWeasyPrint = "weasyprint";
constexpr std::string_view kSomeDate = "20000101000000";  // of every PDF, so that the same report has the same bytes

const OutsideProgram& pdf_program() {
  static const OutsideProgram program{"pdf",
                                      {kWeasyPrint, "chromium", "chromium-browser", "google-chrome"},
                                      "install one of them: packages weasyprint and chromium"};
  return program;
}

/// Chromium takes and writes files only, and keeps a profile.
std::string print_in_browser(const std::string& browser, const std::string& html) {
  const ScratchFolder folder;
  const auto page = folder / "report.html", pdf = folder / "report.pdf";
  write_file(page, html);
  std::vector<std::string> command = {browser,
                                      "--headless",
                                      "--disable-gpu",
                                      "--user-data-dir=" + (folder / "profile").string(),
                                      "--no-pdf-header-footer",
                                      "--print-to-pdf=" + pdf.string()};
  if (::geteuid() == 0) command.emplace_back("--no-sandbox");  // a browser of root's has none; the page has no scripts
  command.push_back("file://" + page.string());
  (void)output_of(command);
  std::error_code ignored;
  return std::filesystem::is_regular_file(pdf, ignored) ? read_file(pdf) : "";
}

/// The page with every part that a reader could open already open: paper has no buttons.
std::string opened(std::string html) {
  constexpr std::string_view kDetails = "<details", kOpen = " open";  // names have no '<' of their own
  for (size_t at = html.find(kDetails); at != std::string::npos; at = html.find(kDetails, at)) {
    at += kDetails.size();
    if (html.compare(at, kOpen.size(), kOpen) != 0) html.insert(at, kOpen);
  }
  return html;
}

/// The page with its style in each figure, too: WeasyPrint draws figures without the page's. It knows no paint-order,
/// so the halo of a hint would cover the hint.
std::string with_figure_styles(const std::string& html) {
  constexpr std::string_view kBegin = "<svg", kEnd = "</svg>", kNoHalo = "<style>.hint{stroke:none}</style>";
  std::string out;
  size_t from = 0;
  for (size_t at = html.find(kBegin); at != std::string::npos; at = html.find(kBegin, from)) {
    const size_t end = html.find(kEnd, at) + kEnd.size();
    std::string figure = html.substr(at, end - at);
    figure.insert(figure.find('>') + 1, kNoHalo);
    out += html.substr(from, at - from) + standalone_svg(std::move(figure));
    from = end;
  }
  return out + html.substr(from);
}

std::string print(const std::string& program, const std::string& html) {
  if (std::filesystem::path(program).filename() != kWeasyPrint) return print_in_browser(program, html);
  return output_of({program, "--quiet", "-", "-"}, with_figure_styles(html));
}

/// Puts kSomeDate in place of the digits behind each "KEY (D:".
void fix_date(std::string& pdf, std::string_view key) {
  const std::string begin = text("/", key, " (D:");
  for (size_t at = pdf.find(begin); at != std::string::npos; at = pdf.find(begin, at)) {
    at += begin.size();
    for (size_t i = 0; i < kSomeDate.size() && at + i < pdf.size() && pdf[at + i] >= '0' && pdf[at + i] <= '9'; ++i)
      pdf[at + i] = kSomeDate[i];
  }
}

}  // namespace

void require_pdf_report() { (void)path_of(pdf_program()); }

std::vector<ReportFile> make_pdf_report(const Summary& s, std::span<const Record> records) {
  const std::string program = path_of(pdf_program());
  std::string pdf = print(program, opened(make_html_report(s, records).front().bytes));
  if (!pdf.starts_with("%PDF-")) throw Error(ErrorKind::kRuntime, program + ": wrote no PDF, and does not say why");
  for (const char* key : {"CreationDate", "ModDate"}) fix_date(pdf, key);
  return {{"report.pdf", std::move(pdf)}};
}

}  // namespace lw
