// A finished run read back from its folder.
#pragma once
#include <filesystem>
#include <vector>

#include "reports/summary.h"

namespace lw {

struct LoadedRun {
  std::filesystem::path folder;
  Manifest manifest;
  SummaryOptions options;
  std::vector<Record> records;
};

/// Reads results.jsonl, and the settings and suites of summary.json. Statistics are not read: they are made
/// again by summarise().
/// @throws Error(kInput) when a file is missing or broken, summary.json has another schema, a record does not fit the
/// settings and suites of summary.json, or a probe that they ask for has no record.
LoadedRun load_run(const std::filesystem::path& folder);

}  // namespace lw
