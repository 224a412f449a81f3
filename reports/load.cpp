#include "reports/load.h"

#include <tuple>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/text.h"
#include "reports/index.h"

namespace lw {

namespace {

[[noreturn]] void refuse_mixture(const std::string& place, const std::string& config, const std::string& wanted) {
  const Found what = config.empty() ? found_what("none") : found(config);
  const std::string allowed = wanted.empty() ? "none" : "'" + wanted + "'";
  throw Error(ErrorKind::kInput,
              place + ": config: " + what.allowed(allowed, ", as in summary.json; files of two runs are mixed here"));
}

/// summary.json, results.jsonl and config.yaml must be of one run.
void require_one_config(const LoadedRun& run) {
  const std::string wanted = short_config(run.manifest.config);
  for (size_t i = 0; i < run.records.size(); ++i)
    if (run.records[i].config != wanted)
      refuse_mixture(text((run.folder / "results.jsonl").string(), ":", i + 1), run.records[i].config, wanted);
  const auto config = run.folder / "config.yaml";
  if (run.manifest.config.empty() || !std::filesystem::exists(config)) return;
  if (const std::string hash = sha256_of_file(config); hash != run.manifest.config)
    refuse_mixture(config.string(), short_config(hash), wanted);
}

}  // namespace

LoadedRun load_run(const std::filesystem::path& folder) {
  LoadedRun run;
  run.folder = folder;
  const auto file = [&](const char* name) {
    const auto path = folder / name;
    if (!std::filesystem::exists(path))
      throw Error(ErrorKind::kInput,
                  path.string() + ": found no such file; a finished run has results.jsonl and summary.json");
    return path.string();
  };
  const std::string summary = file("summary.json");
  std::tie(run.manifest, run.options) = manifest_from_json(read_file(summary), summary);
  const std::string results = file("results.jsonl");
  run.records = read_records(results);
  require_one_config(run);
  check_complete(run.manifest, RecordIndex(run.manifest, run.records, results), results);
  return run;
}

}  // namespace lw
