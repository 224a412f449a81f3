#include "reports/load.h"

#include <tuple>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "reports/index.h"

namespace lw {

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
  check_complete(run.manifest, RecordIndex(run.manifest, run.records, results), results);
  return run;
}

}  // namespace lw
