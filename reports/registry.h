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
  bool by_default = false;   // written where no formats are named
  std::vector<ReportFile> (*make)(const Summary&, std::span<const Record>);
  /// Throws Error(kUsage) when a program of the system that the format needs is absent. Null: it needs none.
  void (*require)() = nullptr;
};

std::span<const FormatInfo> report_formats();
std::vector<std::string> report_format_names();
/// Those that are written where no formats are named.
std::vector<std::string> default_format_names();

/// For the time before long work. @throws Error(kUsage) for an unknown format, or one whose program is absent.
void require_formats(const std::vector<std::string>& formats);

/// Writes each of `formats` into `folder`, and removes what an earlier report of these formats wrote and this one does
/// not. Other files stay.
/// @throws Error(kUsage) as require_formats(), before anything is written; Error(kRuntime) on a full disk, or when a
/// program that a format needs fails.
void write_reports(const std::filesystem::path& folder, const Summary& summary, std::span<const Record> records,
                   const std::vector<std::string>& formats);

}  // namespace lw
