#include <algorithm>
#include <cstdio>
#include <memory>

#include "harness/app/command_line.h"
#include "harness/app/commands.h"
#include "harness/base/json_read.h"
#include "harness/base/log.h"
#include "harness/base/parallel.h"
#include "harness/base/text.h"
#include "harness/run/run.h"
#include "harness/selfcheck/build_checks.h"
#include "harness/selfcheck/subjects.h"

namespace lw {
namespace {

struct SelfCheckOptions {
  std::string config;
  std::vector<std::string> sets;
  bool json = false;
};

Experiment experiment_of_check(const SelfCheckOptions& o) {
  if (o.config.empty() && !o.sets.empty())
    throw Error(ErrorKind::kUsage, "--set: " + found_what("a change, and no config").allowed("with a config"));
  if (o.config.empty()) return built_in_subjects();
  RunOptions run;
  run.config = o.config;
  run.sets = o.sets;
  return read_experiment(load_config(run), ReadFor::kCard);
}

std::string summary_line(const std::vector<CheckResult>& results) {
  int64_t failed = 0, skipped = 0;
  for (const auto& r : results) failed += r.failed() ? 1 : 0, skipped += r.skipped.empty() ? 0 : 1;
  const int64_t asked = std::ssize(results) - skipped;
  return text(plural(asked, "check"), ": ", asked - failed, " ok, ", failed, " failed",
              skipped == 0 ? "" : text("; ", skipped, " not asked"));
}

int selfcheck(const SelfCheckOptions& o) {
  const Experiment e = experiment_of_check(o);
  for (const auto& warning : e.warnings()) log_warning(warning);
  const auto subjects = subjects_of(e);
  use_one_thread_a_job();
  auto results = check_build();
  Progress progress("checking", std::max<int64_t>(std::ssize(subjects), 1), "models");
  for (const auto& subject : subjects) {
    throw_if_interrupted();
    const auto of_model = check_model(subject);
    results.insert(results.end(), of_model.begin(), of_model.end());
    results.push_back(check_card(subject));
    progress.advance();
  }
  progress.finish();
  if (o.json) {
    Json all{{"checks", Json::array()}, {"exit_code", exit_code_of(results)}};
    for (const auto& r : results) all["checks"].push_back(to_json(r));
    std::printf("%s\n", all.dump(2).c_str());
  } else {
    std::printf("%s\n%s\n", check_table(results, color_on_stdout()).c_str(), summary_line(results).c_str());
  }
  return exit_code_of(results);
}

}  // namespace

void add_selfcheck(Command& program) {
  auto o = std::make_shared<SelfCheckOptions>();
  Command command = program.command("selfcheck", "check that this build on this machine gives numbers to trust");
  command.option("config", o->config, "check the models and positions of this config (default: small built-in ones)");
  command.option("--set", o->sets, "change a key of the config: --set position.scaling.factor=4")
      .value_name("PATH=VALUE")
      .repeatable();
  command.flag("--json", o->json, "print JSON instead");
  command.footer(
      "Run it once on every machine, and after a change of LibTorch or of the compiler. It takes some seconds: "
      "sequences "
      "have\nat most 64 tokens, and no text or suite is needed. docs/selfcheck.md explains each check and its "
      "bound.\n\n"
      "Exit code 0: all good. 1: a check of this machine failed, do not trust its numbers. 3: a position scheme does "
      "not "
      "have\na property that it declares.\n\n"
      "  lengthwise selfcheck\n"
      "  lengthwise selfcheck my.yaml --json | jq '.checks[] | select(.result == \"failed\")'");
  command.runs([o] { return selfcheck(*o); });
}

}  // namespace lw
