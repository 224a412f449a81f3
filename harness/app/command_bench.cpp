#include <ATen/Parallel.h>
#include <torch/version.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "encodings/registry.h"
#include "encodings/rope_scaling/rope_scaling.h"
#include "harness/app/command_line.h"
#include "harness/app/commands.h"
#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/log.h"
#include "harness/base/numbers.h"
#include "harness/base/text.h"
#include "harness/inspect/cost_table.h"
#include "harness/inspect/scheme_options.h"
#include "harness/measure/cost.h"
#include "reports/text_table.h"
#include "reports/writers/terminal.h"

namespace lw {
namespace {
using Json = nlohmann::ordered_json;

struct BenchOptions {
  std::vector<std::string> schemes;
  std::vector<int64_t> lengths = {1024, 2048, 4096};
  int64_t heads = 4, head_width = 64, tile = 256, repeats = 3;
  int64_t threads = std::max<int64_t>(1, std::thread::hardware_concurrency());
  bool train = false;
  std::string json;
};

ModelShape shape_of(const BenchOptions& o) {
  ModelShape shape;
  shape.heads = o.heads;
  shape.head_width = o.head_width;
  shape.width = o.heads * o.head_width;
  shape.layers = 1;
  shape.train_length = *std::max_element(o.lengths.begin(), o.lengths.end());
  return shape;
}

/// Every scheme and every RoPE scaling, or those that were named: a scaling as "rope yarn".
std::vector<PlainSetting> chosen_settings(const BenchOptions& o) {
  const ModelShape shape = shape_of(o);
  std::vector<PlainSetting> all;
  for (const auto* info : encodings())
    if (info != &no_positions()) all.push_back(plain_setting(*info, shape));
  for (const auto* info : rope_scalings())
    if (info != &no_rope_scaling()) all.push_back(plain_setting(*info, shape));
  if (o.schemes.empty()) return all;
  std::vector<PlainSetting> chosen;
  const std::string none(no_positions().name);
  std::vector<std::string> names = {none};
  for (const auto& s : all) names.push_back(s.name);
  for (const auto& name : o.schemes) {
    if (name == none) continue;  // measured always
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.name == name; });
    if (found == all.end())
      throw Error(ErrorKind::kUsage, "--schemes: " + lw::found(name).allowed(join(names)) + did_you_mean(name, names));
    chosen.push_back(*found);
  }
  return chosen;
}

std::string lead(const BenchOptions& o) {
  return "One attention layer, forward, " + std::to_string(o.heads) + " heads of " + std::to_string(o.head_width) +
         ", float32, " + plural(o.threads, "thread") +
         (o.tile > 0 ? ", queries in tiles of " + std::to_string(o.tile) : ", all queries at once") +
         ". Times are the fastest of " + std::to_string(o.repeats) +
         ", each taken side by side with attention without positions (/none; in brackets the range of the repeats "
         "where "
         "they differ by more than a tenth). ~n^: how they grow with length, 2 is quadratic. MB: the most that tensors "
         "held at once, at the longest length; resident: what the process grew by." +
         (o.train ? " Train: a step forward and backward, at the shortest." : "");
}

Json result_json(const BenchOptions& o, const std::vector<SettingCost>& costs,
                 const std::vector<PlainSetting>& left_out) {
  Json settings = Json::array(), skipped = Json::array();
  for (const auto& cost : costs) settings.push_back(to_json(cost));
  for (const auto& s : left_out) skipped.push_back({{"name", s.name}, {"reason", s.missing}});
  return {{"torch", TORCH_VERSION},     {"threads", o.threads}, {"heads", o.heads},
          {"head_width", o.head_width}, {"tile", o.tile},       {"repeats", o.repeats},
          {"lengths", o.lengths},       {"settings", settings}, {"skipped", skipped}};
}

int bench(BenchOptions o) {
  const std::set<int64_t> sorted(o.lengths.begin(), o.lengths.end());
  o.lengths.assign(sorted.begin(), sorted.end());
  at::set_num_threads(int(o.threads));
  std::vector<CostSetting> settings;
  std::vector<PlainSetting> left_out;
  for (auto& s : chosen_settings(o)) {
    if (s.missing.empty())
      settings.push_back({s.name, s.position});
    else
      left_out.push_back(std::move(s));
  }
  const CostOptions options{o.lengths, o.tile, o.repeats, o.train};
  Progress progress("measuring", cost_steps(settings.size(), options), "calls");
  const auto costs = measure_costs(settings, shape_of(o), options, [&] { progress.advance(); });
  progress.finish();
  const bool color = color_on_stdout();
  std::printf("%s\n\n%s", painted(wrapped(lead(o), 100, ""), Paint::kDim, color).c_str(),
              terminal_rows(cost_table(costs), color).c_str());
  for (const auto& s : left_out) std::printf("not measured: %s: %s\n", s.name.c_str(), s.missing.c_str());
  if (!o.json.empty()) write_file(o.json, result_json(o, costs, left_out).dump(2) + "\n");
  return 0;
}

}  // namespace

void add_bench(Command& program) {
  auto o = std::make_shared<BenchOptions>();
  Command command = program.command("bench", "what things cost: time and memory by length");
  command.require_command();
  Command encodings_command =
      command.command("encodings", "one attention layer under every position scheme and RoPE scaling, beside none");
  encodings_command.option("--schemes", o->schemes, "only these: --schemes alibi,t5,\"rope yarn\"")
      .comma_separated()
      .value_name("NAME,...");
  encodings_command.option("--lengths", o->lengths, "tokens: --lengths 1024,2048,4096")
      .comma_separated()
      .within(2, 1 << 20)
      .show_default();
  encodings_command.option("--heads", o->heads, "attention heads").within(1, 1024).show_default();
  encodings_command.option("--head-width", o->head_width, "channels of a head, even").within(1, 4096).show_default();
  encodings_command.option("--tile", o->tile, "queries at a time, which bounds memory; 0: all at once")
      .within(0, 1 << 20)
      .show_default();
  encodings_command.option("--repeats", o->repeats, "times are the fastest of this many")
      .within(1, 1000)
      .show_default();
  encodings_command.option("--threads", o->threads, "of LibTorch").within(1, 1024).show_default();
  encodings_command.flag("--train", o->train, "also a training step, forward and backward, at the shortest length");
  encodings_command.option("--json", o->json, "also write every number here").value_name("FILE");
  encodings_command.runs([o] { return bench(*o); });
}

}  // namespace lw
