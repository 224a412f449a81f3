#include <torch/version.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/app/command_line.h"
#include "harness/app/commands.h"
#include "harness/base/error.h"
#include "harness/base/log.h"
#include "harness/base/text.h"
#include "harness/base/version.h"
#include "harness/experiment/experiment.h"
#include "harness/run/run.h"
#include "harness/selfcheck/outcome_text.h"

namespace lw {
namespace {

struct SelfCheckOptions {
  RunOptions run;
  bool all = false;
  bool json = false;
};

void require_config_for(const char* option, bool given, const SelfCheckOptions& o) {
  if (given && o.run.config.empty())
    throw Error(ErrorKind::kUsage, text(option, ": found no config; allowed: beside a config"));
}

int selfcheck(const SelfCheckOptions& o) {
  require_config_for("--set", !o.run.sets.empty(), o);
  require_config_for("--all", o.all, o);
  Experiment experiment;  // its variants are read while the checks run
  if (!o.run.config.empty()) experiment = read_experiment(load_config(o.run), ReadFor::kCard);
  check_device(o.run.config.empty() ? o.run.device : experiment.device);
  const Subjects subjects = o.run.config.empty() ? built_in_subjects(o.run.device.empty() ? "cpu" : o.run.device)
                                                 : subjects_of(experiment, o.all);
  const auto checks = self_checks();
  Progress progress("checking", std::ssize(checks), "checks");
  const auto items = run_self_checks(checks, subjects.all, [&] { progress.advance(); });
  progress.finish();
  if (o.json) {
    nlohmann::ordered_json json = {{"version", version()}, {"torch", TORCH_VERSION}};
    json.update(outcome_json(items, subjects.bounds));
    std::printf("%s\n", json.dump(2).c_str());
  } else {
    std::printf("lengthwise %s, LibTorch %s\n\n%s", version().c_str(), TORCH_VERSION,
                outcome_text(items, subjects.bounds, color_on_stdout()).c_str());
  }
  return exit_code_of(items);
}

}  // namespace

void add_selfcheck(Command& program) {
  auto o = std::make_shared<SelfCheckOptions>();
  Command command =
      program.command("selfcheck", "can numbers that are made on this machine be trusted? each check beside its bound");
  command.option("config", o->run.config,
                 "YAML config, whose models and positions are checked (default: every scheme and scaling)");
  command.option("--set", o->run.sets, "change one value of the config: --set position.scheme=alibi")
      .value_name("PATH=VALUE")
      .repeatable();
  command.option("--device", o->run.device, "where models run; overrides model.device").one_of({"cpu", "cuda"});
  command.flag("--all", o->all, "every variant of the config, however many");
  command.flag("--json", o->json, "full precision, for programs");
  command.footer(
      "Run it once on each new machine, LibTorch or GPU. It takes seconds, needs no file and leaves none.\n"
      "Each check runs the code that runs use, and compares two ways to one number. docs/selfcheck.md says what each\n"
      "one shows, and what to do when it fails.\n\n"
      "Exit codes: 0 all hold; 1 a check of this machine failed; 2 bad arguments or config; 3 only a declared "
      "property\n"
      "of a position scheme disagrees with the measured one.\n\n"
      "  lengthwise selfcheck\n"
      "  lengthwise selfcheck configs/quickstart.yaml --json > selfcheck.json");
  command.runs([o] { return selfcheck(*o); });
}

}  // namespace lw
