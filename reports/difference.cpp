#include "reports/difference.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "reports/statistics/intervals.h"
#include "reports/statistics/paired.h"
#include "reports/statistics/power.h"

namespace lw {
namespace {

using Values = std::vector<PairedValue>;

/// What the probes say of two given models.
struct ProbeEvidence {
  int64_t n = 0;        // probes or targets
  PairedCounts counts;  // a both right, b only the run, c only the base, d both wrong; zeros for nats
  double base = 0, run = 0, difference = 0;
  Finding finding;
  std::optional<double> detectable;
};

/// The same probe under several seeds is one cluster too.
std::string_view cluster_of(const PairedValue& v) {
  return v.base.cluster.empty() ? std::string_view(v.base.record->id) : v.base.cluster;
}

std::vector<Clustered> differences_of(const Values& values) {
  std::vector<Clustered> differences;
  for (const auto& v : values) differences.push_back({v.run.value - v.base.value, v.base.weight, cluster_of(v)});
  return differences;
}

void set_shares(ProbeEvidence& e, std::span<const Clustered> differences) {
  const auto n = static_cast<double>(e.n), effective = effective_size(differences, -1, 1);
  const double b = static_cast<double>(e.counts.b) * effective / n, c = static_cast<double>(e.counts.c) * effective / n;
  const Interval interval = tango(b, c, effective);
  e.finding.low = interval.low;
  e.finding.high = interval.high;
  std::map<std::string_view, int64_t> sums;
  for (const auto& d : differences) sums[d.cluster] += std::llround(d.value);
  std::vector<int64_t> flipped;
  for (const auto& [cluster, sum] : sums) flipped.push_back(sum);
  const bool alone = sums.size() == differences.size();
  e.finding.p = alone ? mcnemar_exact(e.counts.b, e.counts.c) : sign_flip_counts(flipped);
  // Without a single disagreement the share of them is not zero, only smaller than one in n.
  e.detectable = detectable_paired(std::max(1.0, b + c) / effective, effective);
}

/// @param values not empty.
ProbeEvidence probe_evidence(const Values& values, const Metric& metric, const Rng& rng) {
  ProbeEvidence e;
  const auto differences = differences_of(values);
  double weight = 0;
  for (const auto& v : values) {
    weight += v.base.weight;
    e.base += v.base.weight * v.base.value;
    e.run += v.base.weight * v.run.value;
    if (metric.share()) e.counts.add(v.run.value > 0.5, v.base.value > 0.5);
  }
  e.n = std::llround(weight);
  e.base /= weight;
  e.run /= weight;
  if (metric.share() && metric.unit == Unit::kProbe) {
    e.difference = e.counts.difference();
    set_shares(e, differences);
    return e;
  }
  const auto mean = paired_mean(differences, rng);
  e.difference = mean->mean.mean;
  e.finding.p = mean->p;
  if (!mean->interval) return e;
  e.finding.low = mean->interval->low;
  e.finding.high = mean->interval->high;
  e.detectable = detectable_from_error(mean->mean.error);
  return e;
}

/// Seeds with values; those of the same two models are one.
std::vector<SeedPairs> units_of(std::span<const SeedPairs> seeds) {
  std::vector<SeedPairs> units;
  for (const auto& seed : seeds) {
    if (seed.values.empty()) continue;
    const auto same = std::find_if(units.begin(), units.end(), [&](const auto& u) { return u.models == seed.models; });
    if (same == units.end())
      units.push_back(seed);
    else
      same->values.insert(same->values.end(), seed.values.begin(), seed.values.end());
  }
  return units;
}

/// Student's t over the seeds' differences; the probes may only widen it.
void set_over_seeds(Comparison& row, const ProbeEvidence& probes) {
  std::vector<double> differences;
  for (const auto& s : row.by_seed) differences.push_back(s.difference);
  const auto k = static_cast<double>(differences.size());
  const auto t = t_interval(differences);
  const double error = t->sd / std::sqrt(k);
  const double p = error > 0 ? student_t_p(t->mean / error, k - 1) : t->mean == 0 ? 1 : 0;
  row.about = About::kSeeds;
  row.p = std::max(p, probes.finding.p.value_or(1));
  if (!probes.finding.low) return;
  row.low = std::min(t->mean - t->half, *probes.finding.low);
  row.high = std::max(t->mean + t->half, *probes.finding.high);
  const double power = student_t_quantile(0.975, k - 1) + student_t_quantile(0.8, k - 1);
  row.detectable = std::max(power * error, probes.detectable.value_or(0));
}

/// Whether one side lies above chance and above every guess on these probes; also where there is nothing to guess.
bool above_chance(const Values& values, const Metric& metric, const std::optional<double>& chance) {
  if (!metric.share() || !(metric.chance && chance)) return true;
  const auto n = static_cast<double>(values.size());
  double blind = 0;
  std::map<std::string_view, double> guesses;
  for (const auto& v : values) {
    blind += std::pow(*chance, v.base.chance_power) / n;
    if (metric.guesses)
      for (const auto& [name, score] : v.base.record->baselines) guesses[name] += score / n;
  }
  for (const auto& [name, score] : guesses)
    if (name != kIdealNll) blind = std::max(blind, score);
  const auto shown = [&](Observation PairedValue::*side) {
    std::vector<Clustered> scores;
    for (const auto& v : values) scores.push_back({(v.*side).value, 1, cluster_of(v)});
    return wilson(clustered_mean(scores)->mean, effective_size(scores)).low > blind;
  };
  return shown(&PairedValue::base) || shown(&PairedValue::run);
}

}  // namespace

void set_difference(Comparison& row, std::span<const SeedPairs> seeds, const Metric& metric,
                    const std::optional<double>& chance, const Rng& rng) {
  const auto units = units_of(seeds);
  if (units.empty()) return;
  Values all;
  double base = 0, run = 0;
  const auto count = static_cast<double>(units.size());
  for (const auto& unit : units) {
    const ProbeEvidence own = probe_evidence(unit.values, metric, rng);
    row.by_seed.push_back({unit.seed, own.difference});
    base += own.base / count;
    run += own.run / count;
    all.insert(all.end(), unit.values.begin(), unit.values.end());
  }
  const ProbeEvidence probes = probe_evidence(all, metric, rng);
  row.n = probes.n;
  row.a = probes.counts.a;
  row.b = probes.counts.b;
  row.c = probes.counts.c;
  row.d = probes.counts.d;
  row.baseline_value = base;
  row.value = run;
  row.difference = 0;
  for (const auto& s : row.by_seed) *row.difference += s.difference / count;
  row.at_chance = !above_chance(all, metric, chance);
  const bool given = std::all_of(units.begin(), units.end(), [](const auto& u) { return u.given; });
  if (given) row.on_weights = probes.finding;
  if (units.size() > 1) return set_over_seeds(row, probes);
  row.about = given ? About::kWeights : About::kOneTraining;
  if (!given) return;
  static_cast<Finding&>(row) = probes.finding;
  row.detectable = probes.detectable;
}

}  // namespace lw
