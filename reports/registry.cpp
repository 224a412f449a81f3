#include "reports/registry.h"

#include <algorithm>
#include <array>
#include <set>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/text.h"
#include "reports/written_files.h"

namespace lw {

// One line a format: its function is make_<function>_report in formats/<function>.cpp. Then its name, what it writes, a
// clause for lists. These are written where no formats are named.
#define LW_DEFAULT_FORMATS(X)                                                                \
  X(md, "md", "report.md", "Markdown: verdict and tables, for a pull request or a notebook") \
  X(html, "html", "report.html", "one page with figures, for reading")                       \
  X(csv, "csv", "tables/*.csv", "every number, for spreadsheets and data frames")            \
  X(tex, "tex", "report.tex", "LaTeX: verdict and tables, for a paper")                      \
  X(json, "json", "summary.json", "every number, for programs; `report` and `diff` read it") \
  X(svg, "svg", "figures/*.svg", "the figures of the page, for papers and slides")

// Written where they are named.
#define LW_NAMED_FORMATS(X)                                                                      \
  X(junit, "junit", "junit.xml", "verdict, protocol and position cards as test results, for CI") \
  X(lm_eval, "lm-eval", "lm-eval/*.json", "scores in the layout of lm-evaluation-harness, one file a variant")

// The same, with a program of the system, which require_<function>_report() looks for.
#define LW_OUTSIDE_FORMATS(X)                                                  \
  X(png, "png", "figures/*.png", "the figures as bitmaps; needs rsvg-convert") \
  X(pdf, "pdf", "report.pdf", "the page on paper; needs weasyprint, Chromium or Chrome")

#define LW_DECLARE(function, name, files, summary) \
  std::vector<ReportFile> make_##function##_report(const Summary&, std::span<const Record>);
LW_DEFAULT_FORMATS(LW_DECLARE)
LW_NAMED_FORMATS(LW_DECLARE)
LW_OUTSIDE_FORMATS(LW_DECLARE)
#undef LW_DECLARE
#define LW_DECLARE(function, name, files, summary) void require_##function##_report();
LW_OUTSIDE_FORMATS(LW_DECLARE)
#undef LW_DECLARE

namespace {

/// @throws Error(kUsage) for one that there is not.
const FormatInfo& format_named(const std::string& name) {
  const auto all = report_formats();
  const auto format = std::find_if(all.begin(), all.end(), [&](const FormatInfo& f) { return f.name == name; });
  if (format != all.end()) return *format;
  throw Error(ErrorKind::kUsage, "format: " + found(name).allowed(join(report_format_names())) +
                                     did_you_mean(name, report_format_names()));
}

std::vector<const FormatInfo*> usable_formats(const std::vector<std::string>& names) {
  std::vector<const FormatInfo*> chosen;
  for (const auto& name : names) chosen.push_back(&format_named(name));
  for (const FormatInfo* format : chosen)
    if (format->require != nullptr) format->require();
  return chosen;
}

}  // namespace

std::span<const FormatInfo> report_formats() {
#define LW_DEFAULT(function, name, files, summary) FormatInfo{name, files, summary, true, make_##function##_report},
#define LW_NAMED(function, name, files, summary) FormatInfo{name, files, summary, false, make_##function##_report},
#define LW_OUTSIDE(function, name, files, summary) \
  FormatInfo{name, files, summary, false, make_##function##_report, require_##function##_report},
  static constexpr std::array kFormats = {LW_DEFAULT_FORMATS(LW_DEFAULT) LW_NAMED_FORMATS(LW_NAMED)
                                              LW_OUTSIDE_FORMATS(LW_OUTSIDE)};
#undef LW_DEFAULT
#undef LW_NAMED
#undef LW_OUTSIDE
  return kFormats;
}

std::vector<std::string> report_format_names() {
  std::vector<std::string> names;
  for (const auto& format : report_formats()) names.emplace_back(format.name);
  return names;
}

std::vector<std::string> default_format_names() {
  std::vector<std::string> names;
  for (const auto& format : report_formats())
    if (format.by_default) names.emplace_back(format.name);
  return names;
}

void require_formats(const std::vector<std::string>& formats) { (void)usable_formats(formats); }

void write_reports(const std::filesystem::path& folder, const Summary& summary, std::span<const Record> records,
                   const std::vector<std::string>& formats) {
  const auto chosen = usable_formats(formats);
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
