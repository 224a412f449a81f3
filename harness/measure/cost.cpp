#include "harness/measure/cost.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "encodings/registry.h"
#include "harness/base/memory.h"
#include "harness/base/numbers.h"
#include "harness/base/parallel.h"
#include "harness/base/rng.h"
#include "harness/measure/attention_cost.h"
#include "reports/statistics/growth.h"

namespace lw {
namespace {
using Json = nlohmann::ordered_json;

/// One setting while it is measured.
struct Runner {
  SettingCost cost;
  std::shared_ptr<PositionEncoding> encoding;

  bool reaches(int64_t length) const { return length <= encoding->max_positions().value_or(length); }
};

Runner runner_of(const CostSetting& setting, const ModelShape& shape) {
  Runner r{{setting.name, setting.position, {}, {}, {}, {}, 0, 0}, setting.position.build()};
  Rng rng(7);
  r.encoding->reset_parameters(rng);
  for (const auto& p : r.encoding->parameters()) r.cost.parameter_bytes += p.numel() * p.element_size();
  r.cost.key_cache_bytes_per_token = key_cache_bytes_per_token(shape, *r.encoding);
  return r;
}

/// Times every runner that reaches the load's length, each repeat side by side with runner 0, which is `none`.
/// @returns by runner.
std::map<size_t, LengthCost> time_all(std::vector<Runner>& runners, const AttentionLoad& load, int64_t repeats,
                                      bool train, const std::function<void()>& advance) {
  const auto seconds = [&](Runner& r) {
    throw_if_interrupted();
    return seconds_of([&] { train ? load.train(*r.encoding) : load.forward(*r.encoding); });
  };
  std::map<size_t, LengthCost> out;
  for (size_t i = 0; i < runners.size(); ++i) {
    if (!runners[i].reaches(load.length())) continue;
    out[i].length = load.length();
    out[i].resident_bytes =
        resident_peak_of([&] { out[i].peak_bytes = peak_bytes_of([&] { seconds(runners[i]); }); });  // also warms up
  }
  std::map<size_t, std::vector<double>> times, ratios;
  for (int64_t repeat = 0; repeat < repeats; ++repeat) {
    for (size_t i = 1; i < runners.size(); ++i) {
      if (out.count(i) > 0) {
        // In turns first and second, so that a machine that speeds up or slows down favours neither.
        const bool first = repeat % 2 == 0;
        const double before = seconds(runners[first ? i : 0]), after = seconds(runners[first ? 0 : i]);
        times[i].push_back(first ? before : after);
        times[0].push_back(first ? after : before);
        ratios[i].push_back(times[i].back() / times[0].back());
      }
      advance();
    }
  }
  for (auto& [i, cost] : out) {
    cost.seconds = times[i].empty() ? seconds(runners[i]) : std::ranges::min(times[i]);
    cost.time_ratio = cost.seconds / out[0].seconds;
    cost.least_ratio = ratios[i].empty() ? 1 : std::ranges::min(ratios[i]);
    cost.largest_ratio = ratios[i].empty() ? 1 : std::ranges::max(ratios[i]);
    cost.memory_ratio = double(cost.peak_bytes) / double(out[0].peak_bytes);
  }
  return out;
}

void add_exponents(SettingCost& cost) {
  std::vector<std::pair<double, double>> times, bytes;
  for (const auto& at : cost.at) {
    times.emplace_back(double(at.length), at.seconds);
    bytes.emplace_back(double(at.length), double(at.peak_bytes));
  }
  cost.time_exponent = growth_exponent(times);
  cost.memory_exponent = growth_exponent(bytes);
}

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json to_json(const LengthCost& at) {
  return {{"length", at.length},
          {"seconds", at.seconds},
          {"seconds_per_token", at.seconds / double(at.length)},
          {"time_ratio", at.time_ratio},
          {"time_ratio_range", {at.least_ratio, at.largest_ratio}},
          {"peak_bytes", at.peak_bytes},
          {"memory_ratio", at.memory_ratio},
          {"resident_bytes", at.resident_bytes ? Json(*at.resident_bytes) : Json(nullptr)}};
}

}  // namespace

int64_t cost_steps(size_t settings, const CostOptions& o) {
  return int64_t(settings) * o.repeats * (int64_t(o.lengths.size()) + (o.train ? 1 : 0));
}

std::vector<SettingCost> measure_costs(const std::vector<CostSetting>& settings, const ModelShape& shape,
                                       const CostOptions& options, const std::function<void()>& advance) {
  std::vector<Runner> runners = {runner_of({std::string(no_positions().name), PositionSetting::none(shape)}, shape)};
  for (const auto& setting : settings) runners.push_back(runner_of(setting, shape));
  for (const int64_t length : options.lengths) {
    const AttentionLoad load(shape, length, options.tile);
    for (const auto& [i, cost] : time_all(runners, load, options.repeats, false, advance))
      runners[i].cost.at.push_back(cost);
    if (!options.train || length != options.lengths.front()) continue;
    for (const auto& [i, cost] : time_all(runners, load, options.repeats, true, advance))
      runners[i].cost.training = cost;
  }
  std::vector<SettingCost> out;
  for (auto& r : runners) {
    add_exponents(r.cost);
    out.push_back(std::move(r.cost));
  }
  return out;
}

EvaluationCost measure_evaluation(const PositionSetting& setting, const std::set<int64_t>& lengths,
                                  const std::function<void(int64_t)>& measured) {
  constexpr double kLong = 0.2;  // seconds after which one call has to do
  const ModelShape& shape = setting.shape();
  Runner runner = runner_of({"", setting}, shape);
  EvaluationCost out;
  out.memory.key_cache_bytes_per_token = runner.cost.key_cache_bytes_per_token;
  for (const int64_t length : lengths) {
    throw_if_interrupted();
    if (!runner.reaches(length)) {
      measured(length);
      continue;
    }
    const AttentionLoad load(shape, length, evaluation_tile(1, shape.heads, length), true);
    const auto work = [&] { load.forward(*runner.encoding); };
    double seconds = 0;
    int64_t peak_bytes = 0;
    const auto resident = resident_peak_of([&] { peak_bytes = peak_bytes_of([&] { seconds = seconds_of(work); }); });
    out.memory.attention.push_back({length, peak_bytes});
    if (resident) out.resident.emplace_back(length, *resident);
    for (int repeat = 0; repeat < 3 && seconds < kLong; ++repeat) seconds = std::min(seconds, seconds_of(work));
    out.seconds.emplace_back(length, seconds);
    measured(length);
  }
  return out;
}

Json to_json(const SettingCost& cost) {
  Json at = Json::array();
  for (const auto& one : cost.at) at.push_back(to_json(one));
  return {{"name", cost.name},
          {"position", to_yaml(cost.position.resolved())},
          {"parameter_bytes", cost.parameter_bytes},
          {"key_cache_bytes_per_token", cost.key_cache_bytes_per_token},
          {"at", at},
          {"time_exponent", optional_json(cost.time_exponent)},
          {"memory_exponent", optional_json(cost.memory_exponent)},
          {"training", cost.training ? to_json(*cost.training) : Json(nullptr)}};
}

}  // namespace lw
