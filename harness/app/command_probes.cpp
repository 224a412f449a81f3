#include <cstdio>
#include <memory>

#include "harness/app/command_line.h"
#include "harness/app/commands.h"
#include "harness/base/error.h"
#include "harness/base/json_read.h"
#include "harness/base/log.h"
#include "harness/base/printable.h"
#include "harness/base/text.h"
#include "harness/run/run.h"
#include "harness/run/work.h"

namespace lw {
namespace {

struct ProbesOptions {
  RunOptions run;
  std::string suite;
  int64_t count = 3;
  bool json = false;
};

std::string words(const EvalUnit& unit, const Probe& p) {
  std::string text;
  for (size_t i = 0; i < p.tokens.size(); ++i) {
    const bool budget = static_cast<int64_t>(i) >= p.prompt_tokens();
    text += (i > 0 ? " " : "") + std::string(budget ? "[" : "") +
            unit.vocabulary->token_name(unit.vocabulary_part, p.tokens[i]) + (budget ? "]" : "");
  }
  return text;
}

Json probe_json(const EvalUnit& unit, const Probe& p) {
  Json targets = Json::array();
  for (const auto& t : p.targets)
    targets.push_back(
        Json{{"slot", t.slot}, {"label", t.label}, {"distance", t.distance ? Json(*t.distance) : Json(nullptr)}});
  return Json{{"id", p.id},
              {"suite", unit.suite_name},
              {"length", p.length()},
              {"prompt_tokens", p.prompt_tokens()},
              {"answer_budget", p.answer_budget},
              {"in_length", p.length() <= unit.train_length},
              {"depth", p.depth ? Json(*p.depth) : Json(nullptr)},
              {"needle_offsets", p.needle_offsets},
              {"query_offset", p.query_offset},
              {"group", p.group},
              {"targets", targets},
              {"candidates", p.candidates},
              {"tokens", p.tokens},
              {"text", words(unit, p)}};
}

void print_probe(const EvalUnit& unit, const Probe& p) {
  std::printf("%s  %lld tokens (%s the training length of %lld)", p.id.c_str(), static_cast<long long>(p.length()),
              p.length() <= unit.train_length ? "inside" : "beyond", static_cast<long long>(unit.train_length));
  if (p.depth) std::printf(", depth %.2f", *p.depth);
  if (p.targets.size() == 1 && p.targets[0].distance)
    std::printf(", distance %lld", static_cast<long long>(*p.targets[0].distance));
  if (p.targets.size() > 1) std::printf(", %zu targets", p.targets.size());
  std::printf("\n  %s\n", visible(words(unit, p)).c_str());
}

int probes(const ProbesOptions& o) {
  const Experiment e = read_experiment(load_config(o.run));
  for (const auto& warning : e.warnings()) log_warning(warning);
  const Work work = plan_work(e, o.count);
  std::vector<std::string> shown, names;
  for (const auto& job : work.evals) {
    for (const auto& unit : job.units) {
      const std::string cell = unit.suite_name + "/" + std::to_string(unit.length);
      names.push_back(unit.suite_name);
      if ((!o.suite.empty() && o.suite != unit.suite_name) ||
          std::find(shown.begin(), shown.end(), cell) != shown.end())
        continue;
      shown.push_back(cell);
      for (const auto& p : make_probes(unit)) {
        if (o.json)
          std::printf("%s\n", probe_json(unit, p).dump().c_str());
        else
          print_probe(unit, p);
      }
    }
  }
  if (shown.empty())
    throw Error(ErrorKind::kUsage, "--suite: " + found(o.suite).allowed("names under suites in ", o.run.config) +
                                       did_you_mean(o.suite, names));
  return 0;
}

}  // namespace

void add_probes(Command& program) {
  auto o = std::make_shared<ProbesOptions>();
  Command command = program.command("probes", "print the probes of a config without running it");
  command.option("config", o->run.config, "YAML config").required();
  command.option("--set", o->run.sets, "change one value, as in run").value_name("PATH=VALUE").repeatable();
  command.option("--suite", o->suite, "only this suite");
  command.option("--n", o->count, "probes at each length").within(1, 1 << 24).show_default();
  command.flag("--json", o->json, "one JSON object a line, with token ids");
  command.runs([o] { return probes(*o); });
}

}  // namespace lw
