// The formats a report can be written in.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/summary.h"

namespace lw {

/// One file of a report, relative to the run's folder.
struct ReportFile {
  std::string path;  // "tables/by_length.csv"
  std::string bytes;
};

/// A format is a pure function: same summary and records, same bytes.
struct FormatInfo {
  std::string_view name;     // "md"
  std::string_view files;    // "report.md"
  std::string_view summary;  // one clause
  std::vector<ReportFile> (*make)(const Summary&, std::span<const Record>);
};

std::span<const FormatInfo> report_formats();
std::vector<std::string> report_format_names();

/// Writes each of `formats` into `folder`, and removes what an earlier report of these formats wrote and this one does
/// not. Other files stay.
/// @throws Error(kUsage) for an unknown format, before anything is written; Error(kRuntime) on a full disk.
void write_reports(const std::filesystem::path& folder, const Summary& summary, std::span<const Record> records,
                   const std::vector<std::string>& formats);

}  // namespace lw
