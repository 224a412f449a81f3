#include <cstdio>
#include <memory>

#include "harness/app/command_line.h"
#include "harness/app/commands.h"
#include "harness/base/error.h"
#include "harness/base/json_read.h"
#include "harness/base/log.h"
#include "harness/experiment/checkpoint_model.h"
#include "harness/experiment/experiment.h"
#include "harness/inspect/text_loss.h"
#include "harness/run/run.h"

namespace lw {
namespace {

struct NllCommand {
  CheckpointOptions checkpoint;
  std::string variant;  // of a config
  TextLossOptions loss;
  std::string bos = "auto", tsv;
  bool json = false;
};

bool is_config(const std::string& path) { return path.ends_with(".yaml") || path.ends_with(".yml"); }

/// One variant of a config: the one named, or the only one.
CheckpointModel load_from_config(const NllCommand& o) {
  RunOptions run;
  run.config = o.checkpoint.path;
  run.sets = o.checkpoint.sets;
  run.dtype = o.checkpoint.dtype;
  if (o.checkpoint.train_length > 0)
    run.sets.push_back("model.train_length=" + std::to_string(o.checkpoint.train_length));
  if (!o.checkpoint.pre.empty()) run.sets.push_back("model.pre=" + o.checkpoint.pre);
  if (o.checkpoint.add_bos != AddBos::kAuto)
    run.sets.push_back("model.add_bos=" + name_of(kAddBosWords, o.checkpoint.add_bos));
  const Experiment e = read_experiment(load_config(run));
  std::vector<std::string> names;
  for (const auto& v : e.variants) {
    if (v.name == o.variant || (o.variant.empty() && e.variants.size() == 1)) return load_model(v);
    names.push_back(v.name);
  }
  throw Error(ErrorKind::kUsage, "--variant: found " + (o.variant.empty() ? "nothing" : "'" + o.variant + "'") +
                                     "; allowed: " + join(names) + did_you_mean(o.variant, names));
}

int nll(NllCommand o) {
  const CheckpointModel model = is_config(o.checkpoint.path) ? load_from_config(o) : load_model(o.checkpoint);
  for (const auto& warning : model.position.warnings()) log_warning(warning);
  for (const auto& note : model.source->notes()) log_warning(note);
  const TextLosses losses = text_losses(model, o.loss);
  if (!o.tsv.empty()) write_tsv(o.tsv, losses.result);
  if (o.json)
    std::printf("%s\n", to_json(losses, model, o.loss).dump(2).c_str());
  else
    print(losses, model, o.loss);
  return 0;
}

}  // namespace

void add_nll(Command& program) {
  auto o = std::make_shared<NllCommand>();
  Command command = program.command("nll", "a checkpoint's loss on a text, by position in the window");
  command
      .option(
          "checkpoint", o->checkpoint.path,
          "a Hugging Face folder, a .gguf file, org/name in the Hugging Face cache, or a config (.yaml) that names one")
      .required();
  command.option("--variant", o->variant, "which variant of a config's sweep");
  command.option("--file", o->loss.files, "UTF-8 text").required().repeatable();
  command.option("--context", o->loss.nll.context, "tokens in a window").required().within(2, 1 << 24);
  command.option("--chunks", o->loss.nll.chunks, "at most this many windows of each text (default: all)")
      .within(1, 1 << 30);
  command.option("--reduction", o->loss.reduction, "all positions, llama.cpp's second half, or overlapping windows")
      .one_of({"all", "second_half", "strided"})
      .show_default();
  command
      .option("--stride", o->loss.nll.stride,
              "tokens between the starts of windows, with --reduction strided (default: half)")
      .within(1, 1 << 24);
  command.option("--set", o->checkpoint.sets, "change the position setting: --set position.scaling.factor=4")
      .value_name("PATH=VALUE")
      .repeatable();
  command
      .option("--train-length", o->checkpoint.train_length, "training length in tokens, if the file states a wrong one")
      .within(1, 1 << 30);
  command.option("--dtype", o->checkpoint.dtype, "of weights and arithmetic (default: float32, or the config's)")
      .one_of({"float32", "float64", "bfloat16", "float16"});
  command.option("--pre", o->checkpoint.pre, "pre-tokenizer, for a GGUF file that does not name one we know");
  command.option("--bos", o->bos, "whether texts and windows begin with BOS: as the tokenizer does, always, never")
      .one_of({"auto", "on", "off"})
      .show_default();
  command.option("--tsv", o->tsv, "write the columns position, mean_nll, n here");
  command.flag("--json", o->json, "full precision, for programs");
  command.footer(
      "--file may be repeated: windows never cross texts, and each text has a line of its own.\n\n"
      "  lengthwise nll model.gguf --file text.txt --context 2048 --reduction second_half \\\n"
      "      --set position.scaling.rope_type=yarn --set position.scaling.factor=2");
  command.runs([o] {
    o->checkpoint.add_bos = o->bos == "on" ? AddBos::kOn : o->bos == "off" ? AddBos::kOff : AddBos::kAuto;
    return nll(*o);
  });
}

}  // namespace lw
