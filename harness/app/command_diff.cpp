#include <cstdio>
#include <memory>

#include "harness/app/command_line.h"
#include "harness/app/commands.h"
#include "harness/base/error.h"
#include "harness/base/exit_code.h"
#include "harness/base/files.h"
#include "harness/base/log.h"
#include "reports/diff.h"

namespace lw {
namespace {

struct DiffCommand {
  std::string base;
  std::vector<std::string> runs, pairs;
  std::string md, html, tex, csv, json, fail_on;
};

std::pair<std::string, std::string> split_pair(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw Error(ErrorKind::kUsage, "--pair: found '" + text + "'; allowed: SETTING-IN-BASE=SETTING-IN-RUN");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

int diff(const DiffCommand& o) {
  const LoadedRun base = load_run(o.base);
  std::vector<LoadedRun> runs;
  for (const auto& folder : o.runs) runs.push_back(load_run(folder));
  DiffOptions options;
  for (const auto& pair : o.pairs) options.names.push_back(split_pair(pair));
  const Diff result = diff_runs(base, runs, options);
  std::fputs(diff_terminal(result, color_on_stdout()).c_str(), stdout);
  if (!o.md.empty()) write_file(o.md, diff_markdown(result));
  if (!o.html.empty()) write_file(o.html, diff_html(result));
  if (!o.tex.empty()) write_file(o.tex, diff_latex(result));
  if (!o.csv.empty()) write_file(o.csv, diff_csv(result));
  if (!o.json.empty()) write_file(o.json, diff_json(result));
  if (o.fail_on.empty()) return 0;
  return has_regression(result, o.fail_on == "short" ? RegressionScope::kShort : RegressionScope::kAny)
             ? kExitRegression
             : 0;
}

}  // namespace

void add_diff(Command& program) {
  auto o = std::make_shared<DiffCommand>();
  Command command = program.command("diff", "compare runs, paired by probe, at each distance");
  command.option("base", o->base, "run folder to compare with").required();
  command.option("runs", o->runs, "run folders").required();
  command.option("--pair", o->pairs, "compare these two settings or variants: --pair rope='rope linear x8'")
      .value_name("BASE=RUN")
      .repeatable();
  command.option("--md", o->md, "also write Markdown here");
  command.option("--html", o->html, "also write HTML here");
  command.option("--tex", o->tex, "also write LaTeX tables here");
  command.option("--csv", o->csv, "also write CSV here");
  command.option("--json", o->json, "also write JSON here");
  command
      .option("--fail-on-regression", o->fail_on, "exit 4 if a run is worse: within the training length, or anywhere")
      .or_alone("short")
      .one_of({"short", "any"});
  command.footer(
      "Probes are paired by id and prompt. Between trainings the seeds are the unit; on the same weights the probes "
      "are.\n"
      "A regression is claimed of all lengths inside, or all beyond, the training length, after Holm's correction.\n\n"
      "  lengthwise diff runs/plain runs/yarn --md diff.md --fail-on-regression short");
  command.runs([o] { return diff(*o); });
}

}  // namespace lw
