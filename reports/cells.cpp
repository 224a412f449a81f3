#include "reports/cells.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "reports/distance_bins.h"
#include "reports/statistics/intervals.h"
#include "reports/statistics/power.h"
#include "reports/unscored.h"

namespace lw {
namespace {

constexpr double kDepthWidth = 0.2;

/// The part of a suite's probes that a cell is about. At most one of the three is set.
struct Slice {
  std::optional<Bin> distance;
  std::optional<double> depth;
  std::optional<Bin> offset;
};

bool inside(const std::optional<int64_t>& value, const Bin& bin) {
  return value && *value >= bin.low && *value < bin.high;
}

/// Centre of the depth bin, or the depth itself when depths stand on a grid.
double depth_key(double depth, const SuiteFacts& facts) {
  if (!facts.depths.empty()) return depth;
  const double last = std::round(1 / kDepthWidth) - 1;
  // Through whole tenths, so that a centre is the same double however it was reached.
  return std::round((std::min(std::floor(depth / kDepthWidth), last) + 0.5) * kDepthWidth * 10) / 10;
}

bool matches(const Observation& o, const Slice& slice, const SuiteFacts& facts) {
  if (slice.distance) return inside(o.distance, *slice.distance);
  if (slice.offset) return inside(o.offset, *slice.offset);
  if (slice.depth) return o.depth && depth_key(*o.depth, facts) == *slice.depth;
  return true;
}

/// Whether a probe that has no score would have been in the slice.
bool would_match(const Record& r, const Slice& slice, const SuiteFacts& facts) {
  if (slice.distance) return inside(r.distance, *slice.distance);
  if (slice.offset) return true;  // nothing says which tokens would have been scored: it may be any
  if (slice.depth) return r.depth && depth_key(*r.depth, facts) == *slice.depth;
  return true;
}

/// Guesses averaged over the observations; a pair is guessed right when both of it are.
Baselines mean_baselines(std::span<const Observation* const> observations, const Metric& m) {
  std::map<std::string, std::pair<double, double>> sums;
  std::vector<std::string> order;
  for (const Observation* o : observations)
    for (const auto& [name, value] : o->record->baselines) {
      const bool ideal = name == kIdealNll;
      if (ideal == m.share() || (!ideal && !m.guesses)) continue;
      double score = value;
      if (o->partner != nullptr)
        for (const auto& [other, theirs] : o->partner->baselines)
          if (other == name) score = std::min(score, theirs);
      if (!sums.contains(name)) order.push_back(name);
      sums[name].first += o->weight * score;
      sums[name].second += o->weight;
    }
  Baselines result;
  for (const auto& name : order) result.emplace_back(name, sums[name].first / sums[name].second);
  return result;
}

void fill_share(Cell& cell, std::span<const Clustered> values, double mean) {
  int64_t right = 0;
  for (const auto& v : values) right += v.value > 0.5 ? 1 : 0;
  cell.k = right;
  cell.effective_n = effective_size(values);
  const bool clustered = cell.clusters < cell.n;
  const Interval interval = clustered ? wilson(mean, cell.effective_n) : wilson_count(right, cell.n);
  cell.low = interval.low;
  cell.high = interval.high;
  cell.interval = clustered ? "wilson, clustered" : "wilson";
  const double edge = 1 / (cell.effective_n + 2);  // at 0 and 1 a difference would seem to need no probes
  cell.detectable = detectable_unpaired(std::clamp(mean, edge, 1 - edge), cell.effective_n);
}

void fill_mean(Cell& cell, const ClusteredMean& mean) {
  cell.effective_n = static_cast<double>(mean.clusters);
  const auto interval = mean_interval(mean);
  if (!interval) return;
  cell.low = interval->low;
  cell.high = interval->high;
  cell.interval = "t, clustered";
  cell.detectable = detectable_from_error(std::sqrt(2.0) * mean.error);
}

/// Value, interval, likelihood and baselines from the observations of the cell.
void fill(Cell& cell, std::span<const Observation* const> observations, const Metric& m,
          const std::optional<double>& chance) {
  std::vector<Clustered> values;
  double nll = 0, by_guess = 0;
  int64_t targets = 0;
  for (const Observation* o : observations) {
    values.push_back({o->value, o->weight, o->cluster});
    nll += o->nll_sum;
    targets += o->nll_count;
    if (chance) by_guess += std::pow(*chance, o->chance_power);
  }
  const auto mean = clustered_mean(values);
  if (!mean) return;
  cell.n = m.unit == Unit::kTarget && !m.share() ? targets : static_cast<int64_t>(values.size());
  cell.clusters = mean->clusters;
  cell.value = mean->mean;
  if (targets > 0) cell.nll = nll / static_cast<double>(targets);
  if (chance && m.chance) cell.chance = by_guess / static_cast<double>(values.size());
  cell.baselines = mean_baselines(observations, m);
  m.share() ? fill_share(cell, values, mean->mean) : fill_mean(cell, *mean);
}

/// Makes the cells of one setting, suite and length.
struct CellMaker {
  const SettingInfo& setting;
  const SuiteMeta& suite;  // as its variant is asked
  const SuiteFacts& facts;
  int64_t length;
  const DistanceBins& bins;
  std::span<const Record* const> probes;

  Cell make(const Metric& m, std::span<const Observation> observations, const Slice& slice) const {
    Cell cell;
    cell.setting = setting.id;
    cell.suite = suite.name;
    cell.metric = m.name;
    cell.length = length;
    cell.distance = slice.distance;
    cell.depth = slice.depth;
    cell.depth_width = slice.depth && facts.depths.empty() ? kDepthWidth : 0;
    cell.offset = slice.offset;
    cell.in_length = length <= setting.train_length;
    cell.unit = unit_name(m.unit);
    std::vector<const Observation*> chosen;
    std::set<const Record*> seen;
    for (const auto& o : observations) {
      if (!matches(o, slice, facts) || (o.early && !slice.distance && !slice.offset)) continue;
      chosen.push_back(&o);
      seen.insert(o.record);
      if (o.partner != nullptr) seen.insert(o.partner);
    }
    std::vector<const Record*> counted;
    for (const Record* r : probes)
      if (seen.contains(r) || would_match(*r, slice, facts)) counted.push_back(r);
    for (const Record* r : counted) count_probe(cell, *r);
    fill(cell, chosen, m, suite.chance);
    if (!cell.value) cell.reason = reason_of(cell, counted, m.unit);
    if (!cell.complete()) note_unscored(cell, counted, chosen, m);
    return cell;
  }

  void all_of(const Metric& m, std::vector<Cell>& out) const {
    std::vector<const Record*> scored;
    for (const Record* r : probes)
      if (r->status == Status::kScored) scored.push_back(r);
    const auto observations = m.observe(scored);
    out.push_back(make(m, observations, {}));
    if (!m.sliced) return;
    std::set<Bin> distances, offsets;
    std::set<double> depths;
    const auto note = [&](const std::optional<int64_t>& distance, const std::optional<double>& depth) {
      if (distance) distances.insert(bins.of(*distance));
      if (depth) depths.insert(depth_key(*depth, facts));
    };
    for (const auto& o : observations) {
      note(o.distance, o.depth);
      if (m.by_offset && facts.offsets_vary && o.offset) offsets.insert(offset_bin(*o.offset));
    }
    for (const Record* r : probes)
      if (r->status != Status::kScored) note(r->distance, r->depth);
    for (const Bin& bin : distances) out.push_back(make(m, observations, {bin, {}, {}}));
    for (const double depth : depths) out.push_back(make(m, observations, {{}, depth, {}}));
    for (const Bin& bin : offsets) out.push_back(make(m, observations, {{}, {}, bin}));
  }

  /// Powers of two, split at the training length, so that no bin holds positions from both sides of it.
  Bin offset_bin(int64_t offset) const {
    Bin bin = bin_of(offset, {});
    const int64_t border = setting.train_length;
    if (bin.low < border && border < bin.high) (offset < border ? bin.high : bin.low) = border;
    return bin;
  }
};

/// What all settings have in common on one suite.
struct SuiteCells {
  SuiteFacts facts;
  std::vector<DistanceBins> bins;  // by length, as the index lists them
};

}  // namespace

std::vector<Cell> make_cells(const Manifest& manifest, const RecordIndex& index, const SummaryOptions& options) {
  std::vector<SuiteCells> shared;
  for (size_t suite = 0; suite < manifest.suites.size(); ++suite) {
    auto& part = shared.emplace_back(SuiteCells{suite_facts(manifest, index, suite), {}});
    for (const int64_t length : index.lengths(suite))
      part.bins.emplace_back(manifest, index, suite, length, options.distance_edges);
  }
  std::vector<Cell> cells;
  for (size_t setting = 0; setting < manifest.settings.size(); ++setting)
    for (size_t suite = 0; suite < manifest.suites.size(); ++suite) {
      const SettingInfo& info = manifest.settings[setting];
      const SuiteMeta* own = asked_suite(manifest, info, manifest.suites[suite].name);
      const auto& lengths = index.lengths(suite);
      for (const Metric* m : metrics()) {
        if (!m->applies(shared[suite].facts)) continue;
        for (size_t i = 0; i < lengths.size(); ++i)
          CellMaker{info,
                    own == nullptr ? manifest.suites[suite] : *own,
                    shared[suite].facts,
                    lengths[i],
                    shared[suite].bins[i],
                    index.of(setting, suite, lengths[i])}
              .all_of(*m, cells);
      }
    }
  return cells;
}

}  // namespace lw
