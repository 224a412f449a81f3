
#include <memory>

#include "harness/app/command_line.h"
#include "harness/app/commands.h"
#include "harness/base/log.h"
#include "harness/run/run.h"

namespace lw {
namespace {

void add_common(Command& command, RunOptions& o) {
  command.option("config", o.config, "YAML config").required();
  command.option("--out", o.out, "run folder (default: runs/<name of the config>)");
  command.option("--set", o.sets, "change one value: --set train.steps=800; may be repeated")
      .value_name("PATH=VALUE")
      .repeatable();
  command.option("--device", o.device, "where models run; overrides model.device").one_of({"cpu", "cuda"});
  command.option("--threads", o.threads, "jobs at once (default: one per core); results do not depend on it")
      .within(1, 4096);
  command.flag("--fresh", o.fresh, "compute everything again, cached or not");
}

}  // namespace

void add_run(Command& program) {
  auto run = std::make_shared<RunOptions>();
  Command command = program.command("run", "train or load models, evaluate them, and report");
  add_common(command, *run);
  command.option("--limit", run->limit, "at most this many probes at each length, for a quick look; overrides limit")
      .within(1, 1 << 24);
  command
      .option("--dtype", run->dtype, "precision of evaluation; overrides eval.dtype or, for a checkpoint, model.dtype")
      .one_of({"float32", "float64", "bfloat16", "float16"});
  command.flag("--replace", run->replace,
               "if the run folder belongs to another config, keep it beside the new one as NAME.old-1");
  command.flag("--dry-run", run->dry_run, "print what would be trained and evaluated, and stop");
  command.footer(
      "Earlier trainings and evaluations are reused; an interrupted run resumes where it stopped.\n"
      "Trained weights and evaluated probes are kept in .cache beside the run folder, or in $LENGTHWISE_CACHE.\n"
      "A run folder belongs to its config: other seeds, suites or another --limit need another --out, or --replace.\n\n"
      "  lengthwise run configs/quickstart.yaml\n"
      "  lengthwise run configs/quickstart.yaml --set seeds=[0] --limit 32 --out runs/look");
  command.runs([run] { return run_experiment(*run); });

  auto train = std::make_shared<RunOptions>();
  Command only = program.command("train", "train the models of a config and print where their weights are");
  add_common(only, *train);
  only.option("--export", train->export_to,
              "also write each model as a Hugging Face folder below DIR, for transformers")
      .value_name("DIR");
  only.footer("  lengthwise train configs/quickstart.yaml --export models/quickstart");
  only.runs([train] { return train_experiment(*train); });
}

}  // namespace lw
