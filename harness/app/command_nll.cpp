#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "harness/app/command_line.h"
#include "harness/app/commands.h"
#include "harness/base/config.h"
#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/json_read.h"
#include "harness/base/log.h"
#include "harness/base/numbers.h"
#include "harness/base/parallel.h"
#include "harness/base/text.h"
#include "harness/eval/nll.h"
#include "harness/experiment/checkpoint_model.h"
#include "harness/experiment/experiment.h"
#include "harness/model/transformer.h"
#include "harness/run/run.h"
#include "reports/text_table.h"

namespace lw {
namespace {

struct NllCommand {
  CheckpointOptions checkpoint;
  std::string variant;  // of a config
  std::string file, reduction = "all", tsv;
  NllOptions nll;
  bool json = false;
};

/// The positions that the reduction is about: [begin, end).
std::pair<size_t, size_t> scored(const NllCommand& o, const NllResult& r) {
  const size_t end = r.positions.size();
  return {o.reduction == "second_half" ? size_t(o.nll.context / 2) : 0, end};
}

/// By powers of two, as attention and RoPE see distances.
std::string by_position(const NllResult& r, bool color) {
  TextTable table({{"positions"}, {"tokens"}, {"mean NLL"}, {"perplexity"}}, 1);
  for (size_t begin = 0, end = 1; begin < r.positions.size(); begin = end, end *= 2) {
    const size_t last = std::min(end, r.positions.size());
    PositionNll sum;
    for (size_t p = begin; p < last; ++p) sum.sum += r.positions[p].sum, sum.n += r.positions[p].n;
    const std::string name = last - begin == 1
                                 ? format_grouped(int64_t(begin))
                                 : format_grouped(int64_t(begin)) + " to " + format_grouped(int64_t(last) - 1);
    if (sum.n == 0)
      table.add({{name}, {"0"}, {"not scored"}, {""}});
    else
      table.add(
          {{name}, {format_grouped(sum.n)}, {format_fixed(sum.mean(), 4)}, {format_fixed(std::exp(sum.mean()), 4)}});
  }
  return table.str(80, color);
}

void write_tsv(const std::string& path, const NllResult& r) {
  std::string text = "position\tmean_nll\tn\n";
  for (size_t p = 0; p < r.positions.size(); ++p) {
    const auto& at = r.positions[p];
    text += std::to_string(p) + "\t" + (at.n > 0 ? format_number(at.mean()) : "") + "\t" + std::to_string(at.n) + "\n";
  }
  write_file(path, text);
}

/// "the model was trained to 512 tokens (declared: 128, context_length, metadata)".
std::string trained_words(const CheckpointModel& m) {
  const int64_t stated = m.checkpoint().model.train_length;
  const std::string by = m.source->train_length_origin();
  const std::string declared = stated > 0 ? format_grouped(stated) + (by.empty() ? "" : ", " + by) : "nothing";
  if (m.train_length <= 0) return "what length the model was trained to is not known";
  return "the model was trained to " + format_grouped(m.train_length) + " tokens (declared: " + declared + ")";
}

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
  const Experiment e = read_experiment(load_config(run));
  std::vector<std::string> names;
  for (const auto& v : e.variants) {
    if (v.name == o.variant || (o.variant.empty() && e.variants.size() == 1)) return load_model(v);
    names.push_back(v.name);
  }
  throw Error(ErrorKind::kUsage, "--variant: found " + (o.variant.empty() ? "nothing" : "'" + o.variant + "'") +
                                     "; allowed: " + join(names) + did_you_mean(o.variant, names));
}

/// Notes on the files, and what `strided` does to models that need BOS.
void warn(const NllCommand& o, const CheckpointModel& model) {
  for (const auto& warning : model.position.warnings()) log_warning(warning);
  for (const auto& note : model.source->notes()) log_warning(note);
  if (model.source->needs_bos() && o.reduction == "strided")
    log_warning("windows of --reduction strided after the first begin without BOS, which " +
                std::string(model.checkpoint().family->name) + " was never trained without");
}

struct Scored {
  std::vector<int64_t> ids;
  NllResult result;
  PositionNll all;  // of the positions that the reduction is about
};

Scored score(NllCommand& o, const CheckpointModel& model) {
  const Tokenizer& tokenizer = model.source->text().tokenizer();
  Scored out;
  out.ids = tokenizer.encode(read_file(o.file), {.add_special = true}).ids;
  if (o.reduction != "strided" && !tokenizer.prefix().empty()) o.nll.bos = tokenizer.bos();
  if (o.reduction == "strided" && o.nll.stride == 0) o.nll.stride = std::max<int64_t>(1, o.nll.context / 2);
  if (o.reduction != "strided" && o.nll.stride > 0)
    throw Error(ErrorKind::kUsage, "--stride: found " + std::to_string(o.nll.stride) + " with --reduction " +
                                       o.reduction + "; allowed: --reduction strided");
  if (o.reduction == "strided" && o.nll.stride >= o.nll.context)
    throw Error(ErrorKind::kUsage, "--stride: " + found(o.nll.stride)
                                                      .allowed("1 to ", o.nll.context - 1,
                                                               ", less than --context, so that no token is left out"));
  const int64_t step = o.nll.stride > 0 ? o.nll.stride : o.nll.context;
  const auto tokens = static_cast<int64_t>(out.ids.size());
  int64_t windows = tokens < o.nll.context ? 0 : (tokens - o.nll.context) / step + 1;
  if (o.nll.chunks > 0) windows = std::min(windows, o.nll.chunks);
  Progress progress("scoring " + o.file, std::max<int64_t>(windows, 1), "windows");
  out.result = nll_by_position(model.transformer, out.ids, o.nll, [&] {
    throw_if_interrupted();
    progress.advance();
  });
  progress.finish();
  const auto [begin, end] = scored(o, out.result);
  out.all = pooled(out.result, begin, end);
  return out;
}

void print_json(const NllCommand& o, const CheckpointModel& model, const Scored& j) {
  const Tokenizer& tokenizer = model.source->text().tokenizer();
  const FamilyModel& own = model.checkpoint().model;
  const Json out{{"perplexity", std::exp(j.all.mean())},
                 {"mean_nll", j.all.mean()},
                 {"n", j.all.n},
                 {"windows", j.result.windows},
                 {"context", o.nll.context},
                 {"reduction", o.reduction},
                 {"tokens", j.ids.size()},
                 {"ids_hash", hash_ids(j.ids)},
                 {"window_begins_with", o.nll.bos ? Json(tokenizer.id_to_token(*o.nll.bos)) : Json(nullptr)},
                 {"vocabulary", {{"tokens", tokenizer.size()}, {"rows", own.model.vocabulary}}},
                 {"unused_tokens", j.result.unused},
                 {"unscored_tokens", j.result.unscored},
                 {"train_length", model.train_length},
                 {"train_length_declared", own.train_length},
                 {"position", to_yaml(model.position.resolved())},
                 {"notes", model.source->notes()}};
  std::printf("%s\n", out.dump(2).c_str());
}

void print_text(const NllCommand& o, const CheckpointModel& model, const Scored& j) {
  const NllResult& r = j.result;
  std::printf("%s\n%s\n", token_line(model.source->text().tokenizer(), j.ids).c_str(),
              by_position(r, color_on_stdout()).c_str());
  std::printf("perplexity %s  (mean NLL %s, %s tokens of %s windows of %s; reduction %s",
              format_fixed(std::exp(j.all.mean()), 4).c_str(), format_fixed(j.all.mean(), 5).c_str(),
              format_grouped(j.all.n).c_str(), format_grouped(r.windows).c_str(), format_grouped(o.nll.context).c_str(),
              o.reduction.c_str());
  if (o.nll.bos) std::printf("; each window begins with BOS in place of its first token");
  std::printf(")\n%s\n", trained_words(model).c_str());
  if (r.unused > 0) std::printf("not scored: %s at the end\n", plural(r.unused, "token").c_str());
  if (r.unscored > 0)
    std::printf("not scored: %s of the text with nothing before it in its window\n",
                plural(r.unscored, "token").c_str());
}

int nll(NllCommand o) {
  const CheckpointModel model = is_config(o.checkpoint.path) ? load_from_config(o) : load_model(o.checkpoint);
  warn(o, model);
  const Scored j = score(o, model);
  if (!o.tsv.empty()) write_tsv(o.tsv, j.result);
  if (o.json)
    print_json(o, model, j);
  else
    print_text(o, model, j);
  return 0;
}

}  // namespace

void add_nll(Command& program) {
  auto o = std::make_shared<NllCommand>();
  Command command = program.command("nll", "a checkpoint's loss on a text, by position in the window");
  command
      .option("checkpoint", o->checkpoint.path,
              "a Hugging Face folder, a .gguf file, or a config (.yaml) that names one")
      .required();
  command.option("--variant", o->variant, "which variant of a config's sweep");
  command.option("--file", o->file, "UTF-8 text").required();
  command.option("--context", o->nll.context, "tokens in a window").required().within(2, 1 << 24);
  command.option("--chunks", o->nll.chunks, "at most this many windows (default: all)").within(1, 1 << 30);
  command.option("--reduction", o->reduction, "all positions, llama.cpp's second half, or overlapping windows")
      .one_of({"all", "second_half", "strided"})
      .show_default();
  command
      .option("--stride", o->nll.stride,
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
  command.option("--tsv", o->tsv, "write the columns position, mean_nll, n here");
  command.flag("--json", o->json, "full precision, for programs");
  command.footer(
      "  lengthwise nll model.gguf --file text.txt --context 2048 --reduction second_half \\\n"
      "      --set position.scaling.rope_type=yarn --set position.scaling.factor=2");
  command.runs([o] { return nll(*o); });
}

}  // namespace lw
