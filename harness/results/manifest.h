// What a run is about: its settings, how their weights came to be, and its suites. Written into
// summary.json, so that reports can be made again from the files alone.
#pragma once
#include <compare>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/results/checkpoint_info.h"
#include "harness/results/position_card.h"

namespace lw {

/// Whether a training learned its suite inside the training length.
struct Gate {
  std::string suite;
  std::string metric;  // a name of reports/metrics: "accuracy" or "excess_nll"
  double value = 0;    // measured on held-out probes
  double bar = 0;      // accuracy >= bar, excess_nll <= bar
  bool passed = false;
  int64_t n = 0;
};

/// Training loss, thinned for a curve.
struct LossPoint {
  int64_t step = 0;
  double loss = 0;  // nats per scored token, mean since the last point
};

struct Training {
  std::vector<std::string> suites;  // trained together in these weights
  std::vector<int64_t> shortest;    // of each suite: the shortest length drawn, in tokens
  std::string weights;              // content hash of everything that shaped them
  int64_t parameters = 0;
  int64_t steps = 0;
  std::vector<Gate> gates;
  std::vector<LossPoint> loss;
};

/// A property of the trained model itself, measured in the run.
struct Check {
  std::string name;  // "permutation residual"
  std::string text;  // "how far outputs are from moving with permuted inputs, max |difference|"
  double value = 0;
  double bar = 0;  // value <= bar: the property holds
  bool holds() const { return value <= bar; }
};

/// What one attention layer holds at once while it answers a sequence of this length, on the CPU in float32.
struct AttentionMemory {
  int64_t length = 0;
  int64_t peak_bytes = 0;
  auto operator<=>(const AttentionMemory&) const = default;
};

/// Counts of what a setting needs, without times: the same in every run.
struct MemoryCost {
  std::vector<AttentionMemory> attention;  // by length, ascending; lengths beyond a table's end are left out
  int64_t key_cache_bytes_per_token = 0;   // of all layers; 0: nothing may be kept
};

/// A suite, as one variant is asked or, in a Manifest, as all of them are.
struct SuiteMeta {
  std::string name;              // as in the config
  std::string kind;              // registry name: "needle"
  std::string summary;           // one clause
  std::optional<double> chance;  // of a blind choice among the candidates; absent when only NLL is scored
  bool pairs = false;            // probes come as pairs that swap order
  std::vector<int64_t> lengths;
  /// Which of the protocol's questions it answers: "retrieval", "grammar" (near distances), "binding" (far
  /// distances), "generation".
  std::vector<std::string> covers;
  int64_t probes = 0;  // at each length; 0: not known
  bool operator==(const SuiteMeta&) const = default;
};

/// model x position x seed.
struct SettingInfo {
  std::string id;       // "rope-linear-8/s0"
  std::string variant;  // "rope-linear-8": the same for every seed
  int64_t seed = 0;
  std::string model;    // "decoder, 2 layers, width 64, 4 heads"
  std::string scheme;   // "rope"
  std::string scaling;  // "linear x8"; "none" without
  bool scaled = false;  // position scaling was put on after training
  int64_t train_length = 0;
  std::vector<Training> trainings;  // one, or one per suite
  std::string position_yaml;        // the resolved position section
  std::vector<Check> checks;        // encoders: do outputs permute with inputs?
  std::optional<PositionCard> card;
  MemoryCost memory;                         // stands under `cost` in summary.json
  std::optional<CheckpointInfo> checkpoint;  // where the weights were loaded from; absent for trained ones
  /// What its variant asks, where that is not what Manifest::suites says: other options, lengths or suites.
  std::vector<SuiteMeta> suites;

  /// Passed every gate that concerns `suite` (weights that were never trained on it have no gate).
  bool learned(const std::string& suite) const;
  bool learned() const;
  /// Hash of the weights that answer `suite`: equal for settings that differ in position only.
  std::string weights_for(const std::string& suite) const;
};

struct Manifest {
  std::string name;
  std::vector<SettingInfo> settings;  // in config order, seeds inside a variant
  /// Every suite once. What variants ask differently stands in SettingInfo::suites; here `chance` is then absent,
  /// `probes` 0, and `lengths` holds those of all variants.
  std::vector<SuiteMeta> suites;
  std::string command;  // how to run it again: "lengthwise run config.yaml"
};

/// What a setting asks of a suite. Null: its variant leaves the suite out.
const SuiteMeta* asked_suite(const Manifest& manifest, const SettingInfo& setting, const std::string& suite);
/// Makes manifest.suites from the suites of its settings, and leaves those of a setting only where they differ.
void share_suites(Manifest& manifest);

nlohmann::ordered_json to_json(const SettingInfo& setting);
nlohmann::ordered_json to_json(const SuiteMeta& suite);
/// @param place what errors call the file. @throws Error(kInput).
SettingInfo setting_from_json(const nlohmann::ordered_json& json, const std::string& place = "summary.json");
SuiteMeta suite_from_json(const nlohmann::ordered_json& json, const std::string& place = "summary.json");

}  // namespace lw
