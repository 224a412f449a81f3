// All comparisons of two settings on one suite, in one run and between runs alike.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/difference.h"
#include "reports/distance_bins.h"
#include "reports/index.h"

namespace lw {

/// One seed on both sides.
struct MatchedSeed {
  int64_t seed = 0;
  std::string models;  // as in SeedPairs
  bool given = false;
  std::map<int64_t, Pairing> by_length;
};

/// The weights of both settings on a suite; no records yet.
MatchedSeed match_models(const SettingInfo& base, const SettingInfo& run, const std::string& suite);

/// Two variants on one suite.
struct SuiteComparison {
  Comparison blank;  // variant, baseline and suite
  std::vector<MatchedSeed> seeds;
  int64_t train_length = 0;  // lengths up to it were seen in training by both sides
  std::optional<double> chance;
  std::string base_name, run_name;       // in reasons: "the base", "the run"
  std::map<int64_t, DistanceBins> bins;  // by length: rows for each distance, too

  Unpaired unpaired() const;
  int64_t pairs() const;
  /// The short contexts together, the lengths beyond together, then length by length. Not judged yet.
  std::vector<Comparison> rows(const Metric& metric) const;
};

}  // namespace lw
