#include <CLI/CLI.hpp>

#include "harness/app/commands.h"
#include "harness/base/log.h"
#include "harness/run/run.h"

namespace lw {
namespace {

void add_common(CLI::App* command, RunOptions& o) {
  command->add_option("config", o.config, "YAML config")->required();
  command->add_option("--out", o.out, "run folder (default: runs/<name of the config>)");
  command->add_option("--set", o.sets, "change one value: --set train.steps=800; may be repeated")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  command->add_option("--device", o.device, "where models run, in place of model.device")
      ->check(CLI::IsMember({"cpu", "cuda"}));
  command->add_option("--threads", o.threads, "jobs at once (default: one a core); results do not depend on it")
      ->check(CLI::Range(1, 4096));
  command->add_flag("--fresh", o.fresh, "do everything again, even what is cached");
}

}  // namespace

void add_run(CLI::App& app, Outcome& outcome) {
  auto run = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "train or load, probe, score and report");
  add_common(command, *run);
  command->add_option("--limit", run->limit, "at most this many probes at each length, for a quick look")
      ->check(CLI::Range(1, 1 << 24));
  command
      ->add_option("--dtype", run->dtype,
                   "precision of evaluation, in place of eval.dtype or, for a checkpoint, model.dtype")
      ->check(CLI::IsMember({"float32", "float64", "bfloat16", "float16"}));
  command->add_flag("--dry-run", run->dry_run, "say what would be trained and judged, and stop");
  command->footer(
      "What was trained or judged before is used again; an interrupted run goes on where it was.\n"
      "Trained weights and judged probes are kept in .cache beside the run folder, or in $LENGTHWISE_CACHE.\n\n"
      "  lengthwise run configs/quickstart.yaml\n"
      "  lengthwise run configs/quickstart.yaml --set seeds=[0] --limit 32 --out runs/look");
  command->callback([run, &outcome] { outcome = run_experiment(*run); });

  auto train = std::make_shared<RunOptions>();
  CLI::App* only = app.add_subcommand("train", "only the models of a config; prints where their weights are");
  add_common(only, *train);
  only->add_option("--export", train->export_to,
                   "also write each model as a Hugging Face folder below DIR, for transformers")
      ->type_name("DIR");
  only->footer("  lengthwise train configs/quickstart.yaml --export models/quickstart");
  only->callback([train, &outcome] { outcome = train_experiment(*train); });
}

}  // namespace lw
