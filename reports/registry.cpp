#include "reports/registry.h"

#include <algorithm>
#include <array>
#include <set>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/text.h"
#include "reports/written_files.h"

namespace lw {

// One line a format: its name, what it writes, a clause for lists. The function is make_<name>_report in
// formats/<name>.cpp.
#define LW_REPORT_FORMATS(X)                                                           \
  X(md, "report.md", "Markdown: verdict and tables, for a pull request or a notebook") \
  X(html, "report.html", "one page with figures, for reading")                         \
  X(csv, "tables/*.csv", "every number, for spreadsheets and data frames")             \
  X(tex, "report.tex", "LaTeX: verdict and tables, for a paper")                       \
  X(json, "summary.json", "every number, for programs; `report` and `diff` read it")   \
  X(svg, "figures/*.svg", "the figures of the page, for papers and slides")

#define LW_DECLARE(name, files, summary) \
  std::vector<ReportFile> make_##name##_report(const Summary&, std::span<const Record>);
LW_REPORT_FORMATS(LW_DECLARE)
#undef LW_DECLARE

std::span<const FormatInfo> report_formats() {
#define LW_LIST(name, files, summary) FormatInfo{#name, files, summary, make_##name##_report},
  static constexpr std::array kFormats = {LW_REPORT_FORMATS(LW_LIST)};
#undef LW_LIST
  return kFormats;
}

std::vector<std::string> report_format_names() {
  std::vector<std::string> names;
  for (const auto& format : report_formats()) names.emplace_back(format.name);
  return names;
}

void write_reports(const std::filesystem::path& folder, const Summary& summary, std::span<const Record> records,
                   const std::vector<std::string>& formats) {
  std::vector<const FormatInfo*> chosen;
  for (const auto& name : formats) {
    const auto all = report_formats();
    const auto format = std::find_if(all.begin(), all.end(), [&](const FormatInfo& f) { return f.name == name; });
    if (format == all.end())
      throw Error(ErrorKind::kUsage, "format: " + found(name).allowed(join(report_format_names())) +
                                         did_you_mean(name, report_format_names()));
    chosen.push_back(&*format);
  }
  std::vector<std::vector<ReportFile>> files;
  for (const FormatInfo* format : chosen) files.push_back(format->make(summary, records));
  WrittenFiles written(folder);
  for (const auto& of_format : files)
    for (const auto& file : of_format) written.add(file.path, file.bytes);
  written.save();  // first, so that a run that is cut off here knows its files again
  for (size_t i = 0; i < chosen.size(); ++i) {
    std::set<std::string> kept;
    for (const auto& file : files[i]) {
      write_file(folder / file.path, file.bytes);
      kept.insert(file.path);
    }
    written.remove_others(chosen[i]->files, kept);  // of an earlier report, they would be read as part of this one
  }
  written.save();
}

}  // namespace lw
