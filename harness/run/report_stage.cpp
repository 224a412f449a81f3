#include "harness/run/report_stage.h"

#include "harness/base/files.h"
#include "reports/load.h"
#include "reports/registry.h"

namespace lw {

void write_results(const std::filesystem::path& folder, const Manifest& manifest, const SummaryOptions& options,
                   std::vector<std::vector<Record>> records) {
  std::string lines;
  for (auto& job : records)
    for (auto& record : job) {
      record.config = short_config(manifest.config);
      lines += to_json_line(record) + "\n";
    }
  write_file(folder / "results.jsonl", lines);
  write_file(folder / "summary.json", summary_json(summarise(manifest, {}, options)));
}

Summary write_reports_of(const std::filesystem::path& folder, const std::vector<std::string>& formats) {
  const LoadedRun run = load_run(folder);
  Summary summary = summarise(run.manifest, run.records, run.options);
  write_reports(folder, summary, run.records, formats);
  return summary;
}

}  // namespace lw
