#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>
#include <sstream>

#include "encodings/registry.h"
#include "harness/app/command_line.h"
#include "harness/app/commands.h"
#include "harness/base/exit_code.h"
#include "harness/base/files.h"
#include "harness/base/json_read.h"
#include "harness/base/log.h"
#include "harness/base/numbers.h"
#include "harness/base/problem.h"
#include "harness/base/registry.h"
#include "harness/base/text.h"
#include "harness/experiment/checkpoint_variant.h"
#include "harness/experiment/experiment.h"
#include "harness/inspect/card_text.h"
#include "harness/inspect/cost_table.h"
#include "harness/inspect/inspect_checkpoint.h"
#include "harness/inspect/position_figures.h"
#include "harness/inspect/scheme_options.h"
#include "harness/measure/cost.h"
#include "harness/measure/position_card.h"
#include "harness/measure/setting_card.h"
#include "harness/run/run.h"
#include "reports/figures/figures.h"
#include "reports/tables/checkpoint_tables.h"
#include "reports/text_table.h"
#include "reports/writers/terminal.h"

namespace lw {
namespace {
using Json = nlohmann::ordered_json;

struct InspectOptions {
  std::string what;
  std::vector<std::string> sets;
  int64_t length = 0;
  std::vector<int64_t> cost_lengths = {256, 1024, 2048};
  bool no_cost = false;
  std::string figures, pre;
  bool json = false;
};

const EncodingInfo* scheme_named(const std::string& word) { return find_named(encodings(), word); }

/// A config of nothing but this scheme, or the file.
Tree config_of(const InspectOptions& o) {
  if (const EncodingInfo* info = scheme_named(o.what)) {
    Tree config = Tree::map();
    config.set("position", plain_section(*info));
    for (const auto& set : o.sets) apply_set(config, set, config_shape());
    return config;
  }
  if (std::error_code unknown; !std::filesystem::exists(o.what, unknown)) {
    const auto names = names_of(encodings());
    throw Error(ErrorKind::kUsage,
                "inspect: " + found(o.what, ", which is neither a file nor a scheme")
                                  .allowed("a config file, or one of ", join(names), did_you_mean(o.what, names)));
  }
  RunOptions run;
  run.config = o.what;
  run.sets = o.sets;
  return load_config(run);
}

/// A scheme that lacks an option says how to give it.
Experiment experiment_of(const InspectOptions& o) {
  const Tree config = config_of(o);
  try {
    return read_experiment(config, ReadFor::kCard);
  } catch (const ConfigErrors& e) {
    if (scheme_named(o.what) == nullptr) throw;
    auto problems = e.problems();
    for (auto& problem : problems)
      if (problem.kind == Problem::Kind::kMissing && problem.key.rfind("position.", 0) == 0)
        problem.what += "; give it with --set " + problem.key + "=VALUE";
    throw ConfigErrors(std::move(problems));
  }
}

/// Attention of this setting's model at several lengths, beside attention without positions.
std::vector<SettingCost> cost_of(const Variant& v, const InspectOptions& o) {
  const std::set<int64_t> lengths(o.cost_lengths.begin(), o.cost_lengths.end());
  at::set_num_threads(1);
  const CostOptions options{{lengths.begin(), lengths.end()}, 256, 5, false};
  return measure_costs({{v.name, v.position}}, v.shape(), options, [] {});
}

void add_cost(Json& card, const std::vector<SettingCost>& costs) {
  card["cost"] = to_json(costs.back());
  card["cost"]["none"] = to_json(costs.front())["at"];
}

std::string cost_text(const std::vector<SettingCost>& costs, const ModelConfig& model, bool color) {
  const SettingCost& own = costs.back();
  std::string cache = format_grouped(own.key_cache_bytes_per_token) + " bytes a token in float32 (" +
                      plural(model.layers, "layer") + ")";
  if (own.key_cache_bytes_per_token == 0) cache = "nothing may be kept: every token is computed again";
  std::string out = "  " +
                    painted("cost of one attention layer, measured (fastest of 5; brackets: range of the repeats)",
                            Paint::kBold, color) +
                    "\n    key cache  " + cache + "\n";
  std::istringstream table(terminal_rows(cost_by_length_table(costs), color, 94));
  for (std::string line; std::getline(table, line);) out += "  " + line + "\n";
  return out;
}

std::vector<std::string> write_figures(const Variant& v, const InspectOptions& o, std::set<std::string>& taken) {
  std::vector<std::string> names;
  const std::string stem = untaken(slug(v.name), taken);
  for (const auto& figure : position_figures(v.name, v.position, o.length, v.deployed_length())) {
    const std::filesystem::path path = std::filesystem::path(o.figures) / (stem + "-" + figure.name + ".svg");
    write_file(path, figure.svg);
    names.push_back(path.string());
  }
  return names;
}

/// Whose weights they are, and what of their positions was changed.
std::string checkpoint_text(const Variant& v, bool color) {
  const CheckpointInfo info = checkpoint_info(v);
  std::string out = "  " + painted("checkpoint", Paint::kBold, color) + "\n";
  const auto line = [&](const char* name, const std::string& text) {
    out += wrapped(name + text, 100, "    ", "      ") + "\n";
  };
  line("file      ", info.path + " (" + info.family + ", " + info.format + ", " + info.stored + ")");
  line("SHA-256   ", info.sha256);
  line("declared  ", declared_length_words(info));
  line("used      ", used_length_words(info));
  line("position  ", position_change_words(info));
  for (const auto& note : info.notes) line("note      ", note);
  return out;
}

void print_card(const Variant& v, const PositionCard& card, const std::vector<SettingCost>& costs,
                const InspectOptions& o) {
  const bool color = color_on_stdout();
  std::printf("%s  (%s; trained to %lld, shown at %lld tokens)\n%s", painted(v.name, Paint::kBold, color).c_str(),
              v.model.summary().c_str(), static_cast<long long>(v.train_length),
              static_cast<long long>(o.length > 0 ? o.length : v.train_length), card_text(card, color).c_str());
  if (v.checkpoint) std::fputs(checkpoint_text(v, color).c_str(), stdout);
  if (!costs.empty()) std::fputs(cost_text(costs, v.model, color).c_str(), stdout);
}

int inspect(const InspectOptions& o) {
  // What has a slash and is no config can only be a checkpoint: its reader says best what is wrong.
  const bool config = o.what.ends_with(".yaml") || o.what.ends_with(".yml");
  const bool path = !config && o.what.find('/') != std::string::npos;
  if (scheme_named(o.what) == nullptr && (path || is_checkpoint_path(o.what)))
    return inspect_checkpoint(o.what, o.sets, o.pre, o.length, o.json);
  if (!o.pre.empty())
    throw Error(ErrorKind::kUsage,
                "--pre: " + found(o.what).allowed("a checkpoint; for a config, --set model.pre=NAME"));
  const Experiment e = experiment_of(o);
  for (const auto& warning : e.warnings()) log_warning(warning);
  if (!o.figures.empty()) make_folder(o.figures);
  bool disagrees = false;
  Json all = Json::object();
  std::set<std::string> taken;  // as the beginning of figures' names
  for (const auto& variant : e.variants) {
    const PositionCard card = position_card_of(variant.position, o.length, variant.deployed_length());
    disagrees = disagrees || !card_disagreements(card).empty();
    const auto costs = o.no_cost ? std::vector<SettingCost>() : cost_of(variant, o);
    const auto figures = o.figures.empty() ? std::vector<std::string>() : write_figures(variant, o, taken);
    if (!o.json) {
      print_card(variant, card, costs, o);
      for (const auto& figure : figures) std::printf("  figure  %s\n", figure.c_str());
      std::printf("\n");
    }
    if (!o.json) continue;
    Json& json = all[variant.name] = to_json(card);
    if (!costs.empty()) add_cost(json, costs);
    if (variant.checkpoint) json["checkpoint"] = to_json(checkpoint_info(variant));
  }
  // One variant is one card; a sweep is a card by name.
  if (o.json) std::printf("%s\n", (e.variants.size() == 1 ? all.front() : all).dump(2).c_str());
  return disagrees ? kExitDisagrees : 0;
}

}  // namespace

void add_inspect(Command& program) {
  auto o = std::make_shared<InspectOptions>();
  Command command = program.command(
      "inspect", "the position card of a scheme, config or checkpoint: what is declared, and what is measured");
  command
      .option("what", o->what,
              "a scheme (rope, t5, ...), a config, or a checkpoint (a Hugging Face folder, a .gguf file)")
      .required();
  command.option("--set", o->sets, "change one value: --set position.rope_theta=500000")
      .value_name("PATH=VALUE")
      .repeatable();
  command.option("--length", o->length, "tokens at which to show the state (default: the training length)")
      .within(1, 1 << 30);
  command.option("--cost-lengths", o->cost_lengths, "tokens at which time and memory are measured")
      .comma_separated()
      .within(2, 1 << 20)
      .show_default();
  command.flag("--no-cost", o->no_cost, "measure no time and memory: the same bytes each time");
  command.option("--pre", o->pre, "of a checkpoint: pre-tokenizer, for a GGUF file that does not name one we know");
  command.option("--figures", o->figures, "also write SVG figures into this folder").value_name("DIR");
  command.flag("--json", o->json, "full precision, for programs");
  command.footer(
      "Exit code 3 when a declared property disagrees with the measured one.\n\n"
      "  lengthwise inspect rope --set position.scaling.rope_type=yarn --set position.scaling.factor=8\n"
      "  lengthwise inspect t5 --figures figures");
  command.runs([o] { return inspect(*o); });
}

}  // namespace lw
