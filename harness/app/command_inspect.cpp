#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>

#include "encodings/registry.h"
#include "harness/app/card.h"
#include "harness/app/commands.h"
#include "harness/app/run.h"
#include "harness/model/position_card.h"

namespace lw {
namespace {

struct InspectOptions {
  std::string what;
  std::vector<std::string> sets;
  int64_t length = 0;
  bool json = false;
};

/// A config of nothing but this scheme, or the file.
Tree config_of(const InspectOptions& o) {
  for (const auto* info : encodings()) {
    if (info->name != o.what) continue;
    Tree config = parse_yaml("suites: {order_swap: }\nposition: {scheme: " + o.what + "}\n", "inspect " + o.what);
    for (const auto& set : o.sets) apply_set(config, set);
    return config;
  }
  if (!std::filesystem::exists(o.what)) {
    std::vector<std::string> names;
    for (const auto* info : encodings()) names.emplace_back(info->name);
    throw Error(ErrorKind::kUsage, "inspect: found '" + o.what +
                                       "', which is neither a file nor a scheme; allowed: a config file, or one of " +
                                       join(names) + did_you_mean(o.what, names));
  }
  RunOptions run;
  run.config = o.what;
  run.sets = o.sets;
  return load_config(run);
}

int inspect(const InspectOptions& o) {
  const Experiment e = read_experiment(config_of(o));
  bool disagrees = false;
  nlohmann::ordered_json all = nlohmann::ordered_json::object();
  for (const auto& variant : e.variants) {
    const auto card = position_card_of(variant, o.length);
    disagrees = disagrees || !card_disagreements(card).empty();
    all[variant.name] = card;
    if (!o.json)
      std::printf("%s  (%s; trained to %lld, shown at %lld tokens)\n%s\n", variant.name.c_str(),
                  variant.model.summary().c_str(), static_cast<long long>(variant.train.max_length),
                  static_cast<long long>(o.length > 0 ? o.length : variant.train.max_length),
                  card_text(card, color_on_stdout()).c_str());
  }
  // One variant is one card; a sweep is a card by name.
  if (o.json) std::printf("%s\n", (e.variants.size() == 1 ? all.front() : all).dump(2).c_str());
  return disagrees ? kExitDisagrees : 0;
}

}  // namespace

void add_inspect(CLI::App& app, Outcome& outcome) {
  auto o = std::make_shared<InspectOptions>();
  CLI::App* command =
      app.add_subcommand("inspect", "the position card of a scheme or config: what is declared, and what is measured");
  command->add_option("what", o->what, "a scheme (rope, t5, ...) or a config")->required();
  command->add_option("--set", o->sets, "change one value: --set position.rope_theta=500000")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  command->add_option("--length", o->length, "tokens at which to show the state (default: the training length)")
      ->check(CLI::Range(1, 1 << 30));
  command->add_flag("--json", o->json, "full precision, for programs");
  command->footer(
      "Exit code 3 when a declared property disagrees with the measured one.\n\n"
      "  lengthwise inspect rope --set position.scaling.rope_type=yarn --set position.scaling.factor=8");
  command->callback([o, &outcome] { outcome = inspect(*o); });
}

}  // namespace lw
