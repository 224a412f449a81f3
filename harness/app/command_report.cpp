#include <cstdio>
#include <memory>

#include "harness/app/command_line.h"
#include "harness/app/commands.h"
#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/log.h"
#include "harness/base/printable.h"
#include "harness/run/report_stage.h"
#include "reports/load.h"
#include "reports/registry.h"
#include "reports/terminal.h"

namespace lw {
namespace {

struct ReportOptions {
  std::string run;
  std::vector<std::string> formats;
  bool check = false;
};

/// A run that names its config has it beside its results.
bool has_config(const LoadedRun& run) {
  const auto path = run.folder / "config.yaml";
  if (run.manifest.config.empty() || std::filesystem::exists(path)) return true;
  std::printf("%s: is missing\n", path.c_str());
  return false;
}

/// True when the files on disk are what the records give now.
bool matches(const std::filesystem::path& folder, const Summary& summary, std::span<const Record> records,
             const std::vector<std::string>& formats) {
  bool same = true;
  for (const auto& format : report_formats()) {
    if (std::find(formats.begin(), formats.end(), format.name) == formats.end()) continue;
    for (const auto& file : format.make(summary, records)) {
      const auto path = folder / file.path;
      if (std::filesystem::exists(path) && read_file(path) == file.bytes) continue;
      std::printf("%s: %s\n", visible(path.string()).c_str(),
                  std::filesystem::exists(path) ? "differs from what results.jsonl gives" : "is missing");
      same = false;
    }
  }
  return same;
}

int report(ReportOptions o) {
  if (o.formats.empty()) o.formats = default_format_names();
  require_formats(o.formats);
  if (o.check) {
    const LoadedRun run = load_run(o.run);
    const Summary summary = summarise(run.manifest, run.records, run.options);
    const bool whole = has_config(run);
    const bool same = matches(run.folder, summary, run.records, o.formats) && whole;
    if (same) std::printf("%s: every report is what results.jsonl gives\n", visible(o.run).c_str());
    return same ? 0 : 1;
  }
  const Summary summary = write_reports_of(o.run, o.formats);
  std::fputs(terminal_tables(summary, color_on_stdout()).c_str(), stdout);
  std::printf("\nwritten to %s: %s\n", visible(o.run).c_str(), join(o.formats).c_str());
  return 0;
}

}  // namespace

void add_report(Command& program) {
  auto o = std::make_shared<ReportOptions>();
  Command command = program.command("report", "write the reports of a run again, from its results");
  command.option("run", o->run, "run folder").required();
  command
      .option("--format", o->formats,
              "formats, with commas between them (default: " + join(default_format_names(), ",") + ")")
      .comma_separated()
      .one_of(report_format_names());
  command.flag(
      "--check", o->check,
      "write nothing; exit 1 if a report differs from what results.jsonl gives, 2 if files of two runs are mixed");
  command.footer(
      "`lengthwise list formats` says what each format writes. png needs the program rsvg-convert (package\n"
      "librsvg2-bin), pdf needs weasyprint, Chromium or Google Chrome.\n\n"
      "  lengthwise report runs/quickstart --format junit,pdf");
  command.runs([o] { return report(*o); });
}

}  // namespace lw
