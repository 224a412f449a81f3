// The last stage: reports are made from what stands in the run's folder, now or at any time later.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "harness/results/manifest.h"
#include "harness/results/record.h"
#include "reports/summary.h"

namespace lw {

/// Writes what reports are made from: results.jsonl, and summary.json without its statistics. Both name the config.
void write_results(const std::filesystem::path& folder, const Manifest& manifest, const SummaryOptions& options,
                   std::vector<std::vector<Record>> records);

/// Reads a run's folder and writes its reports into it. @throws Error(kInput) as load_run().
Summary write_reports_of(const std::filesystem::path& folder, const std::vector<std::string>& formats);

}  // namespace lw
