#include <cstdio>
#include <memory>
#include <set>
#include <span>

#include "harness/app/command_line.h"
#include "harness/app/commands.h"
#include "harness/base/error.h"
#include "harness/base/exit_code.h"
#include "harness/base/files.h"
#include "harness/base/log.h"
#include "harness/base/text.h"
#include "reports/diff.h"

namespace lw {
namespace {

struct DiffCommand {
  std::string base;
  std::vector<std::string> runs, pairs;
  std::string md, html, tex, csv, json, fail_on;
};

/// What --pair may name in some runs: settings, and variants with all their seeds.
std::set<std::string> names_in(std::span<const LoadedRun> runs) {
  std::set<std::string> names;
  for (const auto& run : runs)
    for (const auto& setting : run.manifest.settings) names.insert({setting.id, setting.variant});
  return names;
}

/// Names may hold '=' themselves: it is split where a name of the base ends and one of the runs begins.
std::pair<std::string, std::string> split_pair(const std::string& pair, const std::set<std::string>& base,
                                               const std::set<std::string>& runs) {
  std::vector<std::pair<std::string, std::string>> known;
  for (size_t at = pair.find('='); at != std::string::npos; at = pair.find('=', at + 1)) {
    std::string ours = pair.substr(0, at), theirs = pair.substr(at + 1);
    if (base.count(ours) != 0 && runs.count(theirs) != 0) known.emplace_back(std::move(ours), std::move(theirs));
  }
  if (known.size() == 1) return known.front();
  const auto list = [](const std::set<std::string>& names) { return join({names.begin(), names.end()}); };
  throw Error(ErrorKind::kUsage,
              "--pair: " + found(pair, known.empty() ? "" : ", which can be split in several places")
                               .allowed("NAME-IN-BASE=NAME-IN-RUN, of ", list(base), " = ", list(runs)));
}

int diff(const DiffCommand& o) {
  const LoadedRun base = load_run(o.base);
  std::vector<LoadedRun> runs;
  for (const auto& folder : o.runs) runs.push_back(load_run(folder));
  DiffOptions options;
  const auto base_names = names_in({&base, 1}), run_names = names_in(runs);
  for (const auto& pair : o.pairs) options.names.push_back(split_pair(pair, base_names, run_names));
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
