// The formats that the program writes by itself: those that need a program of the system have a test of their own.
#pragma once
#include <string>
#include <vector>

#include "reports/registry.h"

namespace lw::fixture {

inline std::vector<FormatInfo> own_formats() {
  std::vector<FormatInfo> formats;
  for (const auto& format : report_formats())
    if (format.require == nullptr) formats.push_back(format);
  return formats;
}

inline std::vector<std::string> own_format_names() {
  std::vector<std::string> names;
  for (const auto& format : own_formats()) names.emplace_back(format.name);
  return names;
}

/// What a format writes of a run. @returns nothing for a name that no format has.
inline std::vector<ReportFile> files_of(const std::string& format, const Summary& summary,
                                        std::span<const Record> records) {
  for (const auto& info : report_formats())
    if (info.name == format) return info.make(summary, records);
  return {};
}

}  // namespace lw::fixture
