#include "reports/suite_comparison.h"

#include <algorithm>
#include <functional>
#include <set>

namespace lw {
namespace {

/// Loaded and not trained any further.
bool only_loaded(const SettingInfo& setting) {
  const auto trained = [](const Training& t) { return t.steps > 0; };
  return setting.checkpoint && std::none_of(setting.trainings.begin(), setting.trainings.end(), trained);
}

/// Makes the rows of one metric.
struct RowMaker {
  const SuiteComparison& of;
  const Metric& metric;
  std::vector<Comparison> rows = {};

  using Takes = std::function<bool(int64_t length)>;

  Unpaired unpaired(const Takes& takes) const {
    Unpaired sum;
    for (const auto& seed : of.seeds)
      for (const auto& [length, pairing] : seed.by_length)
        if (takes(length)) sum += pairing.unpaired;
    return sum;
  }

  /// Probes without a score at lengths that have scores: a length that has none at all is no part of the row.
  int64_t missing(const Takes& takes) const {
    int64_t sum = 0;
    for (const auto& seed : of.seeds)
      for (const auto& [length, pairing] : seed.by_length) {
        const Unpaired& u = pairing.unpaired;
        if (takes(length)) sum += u.unscored_base + u.unscored_run + (pairing.pairs.empty() ? 0 : u.unscored_both);
      }
    return sum;
  }

  std::vector<SeedPairs> values(const Takes& takes) const {
    std::vector<SeedPairs> result;
    for (const auto& seed : of.seeds) {
      std::vector<RecordPair> pairs;
      for (const auto& [length, pairing] : seed.by_length)
        if (takes(length)) pairs.insert(pairs.end(), pairing.pairs.begin(), pairing.pairs.end());
      result.push_back({seed.seed, seed.models, seed.given, paired_values(pairs, metric)});
    }
    return result;
  }

  std::string reason(const Unpaired& u) const {
    if (of.seeds.empty()) return "not learned";
    if (u.unscored_run > 0) return "no score in " + of.run_name;
    if (u.unscored_base > 0) return "no score in " + of.base_name;
    if (u.unscored_both > 0) return "no score on either side";
    if (u.other_prompt > 0) return "other prompts under the same ids";
    if (u.only_base > 0) return "not in " + of.run_name;
    return u.only_run > 0 ? "not in " + of.base_name : "not run";
  }

  void add(Comparison row, const std::vector<SeedPairs>& seeds) {
    Rng rng = Rng(0).stream("sign-flip").stream(row.suite).stream(scope_name(row.scope));
    if (row.length) rng = rng.stream(static_cast<uint64_t>(*row.length));
    if (row.distance) rng = rng.stream(static_cast<uint64_t>(row.distance->low));
    set_difference(row, seeds, metric, of.chance, rng);
    rows.push_back(row);
  }

  Comparison blank(Scope scope, bool in_length) const {
    Comparison row = of.blank;
    row.metric = metric.name;
    row.seeds = int64_t(of.seeds.size());
    row.scope = scope;
    row.in_length = in_length;
    return row;
  }

  /// All lengths inside the training length together, or all beyond it.
  void add_side(const std::set<int64_t>& lengths, bool inside) {
    const Takes takes = [&](int64_t length) { return (length <= of.train_length) == inside; };
    const bool any = std::any_of(lengths.begin(), lengths.end(), takes);
    if (!any && !inside) return;
    Comparison row = blank(inside ? Scope::kShort : Scope::kBeyond, inside);
    const Unpaired u = unpaired(takes);
    row.unpaired = u.total();
    row.missing = missing(takes);
    add(row, values(takes));
    if (!rows.back().difference) rows.back().reason = any ? reason(u) : "no length up to the training length";
  }

  /// One length, and every distance at it.
  void add_length(int64_t length) {
    const Takes takes = [length](int64_t other) { return other == length; };
    Comparison row = blank(Scope::kLength, length <= of.train_length);
    row.length = length;
    const Unpaired u = unpaired(takes);
    row.unpaired = u.total();
    row.missing = missing(takes);
    row.lost = u.unscored_run;
    const auto seeds = values(takes);
    add(row, seeds);
    Comparison& added = rows.back();
    if (!added.difference) {
      added.reason = reason(u);
      if (added.lost > 0) added.verdict = Verdict::kLost;
      return;
    }
    if (of.bins.contains(length)) add_distances(row, seeds, of.bins.at(length));
  }

  void add_distances(Comparison row, const std::vector<SeedPairs>& seeds, const DistanceBins& bins) {
    std::map<Bin, std::vector<SeedPairs>> by_distance;
    for (size_t i = 0; i < seeds.size(); ++i)
      for (const auto& v : seeds[i].values) {
        if (!v.base.distance) continue;
        auto& cell = by_distance[bins.of(*v.base.distance)];
        if (cell.empty())
          for (const auto& s : seeds) cell.push_back({s.seed, s.models, s.given, {}});
        cell[i].values.push_back(v);
      }
    if (by_distance.size() < 2) return;
    row.scope = Scope::kDistance;
    row.lost = 0;
    for (const auto& [bin, cell] : by_distance) {
      row.distance = bin;
      add(row, cell);
    }
  }
};

}  // namespace

MatchedSeed match_models(const SettingInfo& base, const SettingInfo& run, const std::string& suite) {
  const std::string ours = base.weights_for(suite), theirs = run.weights_for(suite);
  return {run.seed, ours + " " + theirs, ours == theirs || (only_loaded(base) && only_loaded(run)), {}};
}

Unpaired SuiteComparison::unpaired() const {
  Unpaired sum;
  for (const auto& seed : seeds)
    for (const auto& [length, pairing] : seed.by_length) sum += pairing.unpaired;
  return sum;
}

int64_t SuiteComparison::pairs() const {
  int64_t sum = 0;
  for (const auto& seed : seeds)
    for (const auto& [length, pairing] : seed.by_length) sum += std::ssize(pairing.pairs);
  return sum;
}

std::vector<Comparison> SuiteComparison::rows(const Metric& metric) const {
  RowMaker maker{*this, metric};
  std::set<int64_t> lengths;
  for (const auto& seed : seeds)
    for (const auto& [length, pairing] : seed.by_length) lengths.insert(length);
  for (const bool inside : {true, false}) maker.add_side(lengths, inside);
  for (const int64_t length : lengths) maker.add_length(length);
  return maker.rows;
}

}  // namespace lw
