// What position settings cost: attention timed and weighed at several lengths, beside attention without positions.
#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "encodings/position_setting.h"
#include "harness/results/manifest.h"

namespace lw {

struct CostSetting {
  std::string name;
  PositionSetting position;
};

struct CostOptions {
  std::vector<int64_t> lengths;  // ascending
  int64_t tile = 256;            // queries at a time; 0: all
  int64_t repeats = 5;
  bool train = false;  // also forward and backward, at the shortest length
};

struct LengthCost {
  int64_t length = 0;
  double seconds = 0;                         // the fastest repeat: what disturbs a machine only ever adds time
  double time_ratio = 0;                      // to the fastest of `none`
  double least_ratio = 0, largest_ratio = 0;  // of any repeat and the call of `none` beside it
  int64_t peak_bytes = 0;                     // tensors alive at once: counted
  double memory_ratio = 0;
  std::optional<int64_t> resident_bytes;  // what the process grew by meanwhile: measured
};

struct SettingCost {
  std::string name;
  PositionSetting position;
  std::vector<LengthCost> at;  // lengths within the scheme's bound
  std::optional<double> time_exponent, memory_exponent;
  std::optional<LengthCost> training;  // one step, at the shortest length
  int64_t parameter_bytes = 0, key_cache_bytes_per_token = 0;
};

/// Times one attention layer under each setting, side by side with attention without positions. Repeats go round
/// the settings, so that what slows the machine slows all of them. The latter comes first, whatever `settings` holds.
/// @param shape of the model that the settings were read for.
/// @param advance called after each pair of calls; there are cost_steps() of them.
std::vector<SettingCost> measure_costs(const std::vector<CostSetting>& settings, const ModelShape& shape,
                                       const CostOptions& options, const std::function<void()>& advance);
int64_t cost_steps(size_t settings, const CostOptions& options);

/// What a run notes of a setting: attention as it is evaluated, a layer over one sequence of each evaluated length.
struct EvaluationCost {
  MemoryCost memory;
  std::vector<std::pair<int64_t, double>> seconds;    // by length; the fastest of a few
  std::vector<std::pair<int64_t, int64_t>> resident;  // by length, in bytes, where the system tells
};
/// @param measured(length) after each of `lengths`; those beyond the scheme's bound are left out.
EvaluationCost measure_evaluation(const PositionSetting& setting, const std::set<int64_t>& lengths,
                                  const std::function<void(int64_t length)>& measured);

nlohmann::ordered_json to_json(const SettingCost& cost);

}  // namespace lw
