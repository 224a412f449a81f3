#include "harness/app/cost.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/base/numbers.h"
#include "harness/base/parallel.h"
#include "harness/base/rng.h"
#include "harness/model/attention_cost.h"
#include "reports/statistics/growth.h"
#include "reports/text_table.h"

namespace lw {
namespace {
using Json = nlohmann::ordered_json;

double median(std::vector<double> values) {
  const size_t middle = values.size() / 2;
  std::sort(values.begin(), values.end());
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

/// One setting while it is measured.
struct Runner {
  SettingCost cost;
  std::shared_ptr<PositionEncoding> encoding;

  bool reaches(int64_t length) const { return length <= encoding->max_positions().value_or(length); }
};

Runner runner_of(const CostSetting& setting, const ModelShape& shape) {
  Runner r{{setting.name, setting.position, {}, {}, {}, {}, 0, 0}, build_encoding(setting.position, shape, true)};
  Rng rng(7);
  r.encoding->reset_parameters(rng);
  for (const auto& p : r.encoding->parameters()) r.cost.parameter_bytes += p.numel() * p.element_size();
  r.cost.key_cache_bytes_per_token = key_cache_bytes_per_token(shape, *r.encoding);
  return r;
}

Tree no_position() {
  Tree position = Tree::map();
  position.set("scheme", Tree::scalar("none", true));
  return position;
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
    out[i].peak_bytes = peak_bytes_of([&] { seconds(runners[i]); });  // also warms up
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
    cost.seconds = times[i].empty() ? seconds(runners[i]) : median(times[i]);
    cost.time_ratio = ratios[i].empty() ? 1 : median(ratios[i]);
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
          {"peak_bytes", at.peak_bytes},
          {"memory_ratio", at.memory_ratio}};
}

std::string megabytes(int64_t bytes) { return format_fixed(double(bytes) / (1 << 20), bytes < (10 << 20) ? 2 : 0); }
std::string ratio_text(double ratio) { return format_fixed(ratio, 2); }
std::string milliseconds(double seconds) { return format_fixed(seconds * 1e3, seconds < 0.1 ? 2 : 0); }

Paint ratio_paint(double ratio) {
  if (ratio < 1.25) return Paint::kNone;
  return ratio < 3 ? Paint::kWarn : Paint::kBad;
}

/// "ms" and "/ none" at each length.
void add_times(std::vector<TextTable::Item>& row, const SettingCost& cost, const std::vector<int64_t>& lengths) {
  for (const int64_t length : lengths) {
    const auto at = std::find_if(cost.at.begin(), cost.at.end(), [&](const auto& a) { return a.length == length; });
    if (at == cost.at.end()) {
      row.push_back({"no position", Paint::kDim});
      row.push_back({""});
    } else {
      row.push_back({milliseconds(at->seconds)});
      row.push_back({ratio_text(at->time_ratio), ratio_paint(at->time_ratio)});
    }
  }
}

}  // namespace

int64_t cost_steps(size_t settings, const CostOptions& o) {
  return int64_t(settings) * o.repeats * (int64_t(o.lengths.size()) + (o.train ? 1 : 0));
}

std::vector<SettingCost> measure_costs(const std::vector<CostSetting>& settings, const ModelShape& shape,
                                       const CostOptions& options, const std::function<void()>& advance) {
  std::vector<Runner> runners = {runner_of({"none", no_position()}, shape)};
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

std::set<int64_t> judged_lengths(const Variant& v) {
  std::set<int64_t> lengths;
  for (const auto& suite : v.suites) lengths.insert(suite.lengths.begin(), suite.lengths.end());
  return lengths;
}

VariantCost measure_variant(const Variant& v, const std::function<void(int64_t)>& measured) {
  constexpr double kLong = 0.2;  // seconds after which one call has to do
  const ModelShape shape = v.shape();
  Runner runner = runner_of({v.name, v.position}, shape);
  VariantCost out;
  out.memory.key_cache_bytes_per_token = runner.cost.key_cache_bytes_per_token;
  for (const int64_t length : judged_lengths(v)) {
    throw_if_interrupted();
    if (!runner.reaches(length)) {
      measured(length);
      continue;
    }
    const AttentionLoad load(shape, length, judging_tile(1, shape.heads, length), true);
    const auto work = [&] { load.forward(*runner.encoding); };
    double seconds = 0;
    out.memory.attention.push_back({length, peak_bytes_of([&] { seconds = seconds_of(work); })});
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
          {"position", to_yaml(cost.position)},
          {"parameter_bytes", cost.parameter_bytes},
          {"key_cache_bytes_per_token", cost.key_cache_bytes_per_token},
          {"at", at},
          {"time_exponent", optional_json(cost.time_exponent)},
          {"memory_exponent", optional_json(cost.memory_exponent)},
          {"training", cost.training ? to_json(*cost.training) : Json(nullptr)}};
}

std::string cost_table(const std::vector<SettingCost>& costs, bool color) {
  std::vector<int64_t> lengths;
  for (const auto& at : costs.front().at) lengths.push_back(at.length);
  const bool train = costs.front().training.has_value(), grows = lengths.size() > 1;
  std::vector<TextTable::Column> columns = {{"setting"}};
  for (const int64_t length : lengths) {
    columns.push_back({format_grouped(length) + " ms", true});
    columns.push_back({"/none"});
  }
  if (grows) columns.push_back({"ms~n^", true});
  columns.push_back({"MB", true});
  columns.push_back({"/none"});
  if (grows) columns.push_back({"MB~n^"});
  if (train) {
    columns.push_back({"train ms", true});
    columns.push_back({"/none"});
  }
  TextTable table(columns, 1);
  const auto exponent = [](const std::optional<double>& p) { return p ? format_fixed(*p, 2) : "-"; };
  for (const auto& cost : costs) {
    std::vector<TextTable::Item> row = {{cost.name, Paint::kBold}};
    add_times(row, cost, lengths);
    if (grows) row.push_back({exponent(cost.time_exponent)});
    const bool whole = !cost.at.empty() && cost.at.back().length == lengths.back();
    row.push_back({whole ? megabytes(cost.at.back().peak_bytes) : "-"});
    row.push_back(
        whole ? TextTable::Item{ratio_text(cost.at.back().memory_ratio), ratio_paint(cost.at.back().memory_ratio)}
              : TextTable::Item{"-"});
    if (grows) row.push_back({exponent(cost.memory_exponent)});
    if (train) {
      row.push_back({cost.training ? milliseconds(cost.training->seconds) : "-"});
      row.push_back(cost.training
                        ? TextTable::Item{ratio_text(cost.training->time_ratio), ratio_paint(cost.training->time_ratio)}
                        : TextTable::Item{"-"});
    }
    table.add(std::move(row));
  }
  return table.str(100, color);
}

std::string cost_by_length(const std::vector<SettingCost>& costs, bool color) {
  const SettingCost& none = costs.front();
  const SettingCost& own = costs.back();
  TextTable table({{"tokens"}, {"ns a token", true}, {"none"}, {"ratio"}, {"peak MB", true}, {"none"}, {"ratio"}}, 1);
  for (size_t i = 0; i < none.at.size(); ++i) {
    std::vector<TextTable::Item> row = {{format_grouped(none.at[i].length)}};
    const auto pair = [&](const std::string& value, const std::string& without, double ratio) {
      row.push_back({value});
      row.push_back({without, Paint::kDim});
      row.push_back({ratio_text(ratio), ratio_paint(ratio)});
    };
    const auto nanoseconds = [](const LengthCost& at) {
      return format_grouped(int64_t(at.seconds * 1e9 / double(at.length)));
    };
    if (i < own.at.size()) {
      pair(nanoseconds(own.at[i]), nanoseconds(none.at[i]), own.at[i].time_ratio);
      pair(megabytes(own.at[i].peak_bytes), megabytes(none.at[i].peak_bytes), own.at[i].memory_ratio);
    } else {
      for (int column = 0; column < 6; ++column) row.push_back({"no position", Paint::kDim, true});
    }
    table.add(std::move(row));
  }
  return table.str(92, color);
}

}  // namespace lw
