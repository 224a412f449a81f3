#include "reports/pooled.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "harness/base/text.h"
#include "reports/index.h"
#include "reports/metrics/metric.h"
#include "reports/statistics/intervals.h"

namespace lw {
namespace {

/// Cells of one pooled number, in the order of seeds.
using SeedCells = std::vector<std::pair<const SettingInfo*, const Cell*>>;

Pooled header(const SettingInfo& setting, const Cell& cell) {
  Pooled p;
  p.variant = setting.variant;
  p.suite = cell.suite;
  p.metric = cell.metric;
  p.length = cell.length;
  p.distance = cell.distance;
  p.depth = cell.depth;
  p.depth_width = cell.depth_width;
  p.offset = cell.offset;
  p.in_length = cell.in_length;
  p.chance = cell.chance;
  return p;
}

void clip_share(Pooled& p) {
  if (!metric(p.metric).share()) return;
  p.low = std::max(0.0, *p.low);
  p.high = std::min(1.0, *p.high);
}

/// Half-width that the finite number of probes alone leaves on the mean over seeds.
Interval within_seeds(const Pooled& p, const std::vector<const Cell*>& cells) {
  double effective = 0, squares = 0;
  for (const Cell* c : cells) {
    effective += c->effective_n;
    const double half = c->low ? 0.5 * (*c->high - *c->low) : 0;
    squares += half * half;
  }
  if (metric(p.metric).share()) return wilson(*p.value, effective);
  const double half = std::sqrt(squares) / static_cast<double>(cells.size());
  return {*p.value - half, *p.value + half};
}

/// One seed: its own interval. Two: the range of both. Three and more: Student's t over seeds, and never
/// narrower than the probes allow (seeds that all score 1 would leave a width of zero).
void set_interval(Pooled& p, const std::vector<const Cell*>& cells) {
  if (cells.size() == 1) {
    p.low = cells[0]->low;
    p.high = cells[0]->high;
    p.interval = cells[0]->interval;
    return;
  }
  if (cells.size() == 2) {
    if (!cells[0]->low || !cells[1]->low) return;
    p.low = std::min(*cells[0]->low, *cells[1]->low);
    p.high = std::max(*cells[0]->high, *cells[1]->high);
    p.interval = "range of 2 seeds";
    return;
  }
  std::vector<double> values;
  for (const Cell* c : cells) values.push_back(*c->value);
  const auto t = t_interval(values);
  const Interval probes = within_seeds(p, cells);
  p.low = std::min(t->mean - t->half, probes.low);
  p.high = std::max(t->mean + t->half, probes.high);
  clip_share(p);
  p.interval = "t over " + std::to_string(cells.size()) + " seeds";
}

std::string reason_of(const Pooled& p) {
  if (p.seeds_learned == 0) return "not learned: 0 of " + std::to_string(p.seeds_total) + " seeds passed the gate";
  for (const auto& seed : p.seeds)
    if (seed.learned && !seed.reason.empty()) return seed.reason;
  return "not run";
}

/// Means of the seeds' bounds. A learned seed without any score may be all wrong or all right.
void set_bounds(Pooled& p, const SeedCells& seeds) {
  if (p.complete() || !metric(p.metric).share()) return;
  double low = 0, high = 0;
  for (const auto& [setting, cell] : seeds) {
    if (!setting->learned(cell->suite)) continue;
    low += cell->value ? cell->bound_low.value_or(*cell->value) : 0;
    high += cell->value ? cell->bound_high.value_or(*cell->value) : 1;
  }
  p.bound_low = low / static_cast<double>(p.seeds_learned);
  p.bound_high = high / static_cast<double>(p.seeds_learned);
}

Pooled pool(const SeedCells& seeds) {
  Pooled p = header(*seeds.front().first, *seeds.front().second);
  std::vector<const Cell*> measured;
  std::map<std::string, double> baselines;
  for (const auto& [setting, cell] : seeds) {
    const bool learned = setting->learned(cell->suite);
    p.seeds.push_back({setting->seed, learned, cell->n, cell->value, cell->low, cell->high, cell->reason});
    ++p.seeds_total;
    if (!p.chance) p.chance = cell->chance;
    if (!learned) continue;
    ++p.seeds_learned;
    p.n += cell->n;
    p.n_total += cell->n_total;
    p.n_scored += cell->n_scored;
    if (!cell->unscored.empty())
      p.unscored += text(p.unscored.empty() ? "" : "; ", "seed ", setting->seed, ": ", cell->unscored);
    if (cell->value) measured.push_back(cell);
  }
  p.seeds_measured = static_cast<int64_t>(measured.size());
  if (measured.empty()) {
    p.reason = reason_of(p);
    return p;
  }
  const auto count = static_cast<double>(measured.size());
  double sum = 0;
  for (const Cell* c : measured) sum += *c->value;
  p.value = sum / count;
  for (const auto& [name, first] : measured.front()->baselines) {
    double total = 0;
    for (const Cell* c : measured)
      for (const auto& [other, value] : c->baselines) total += other == name ? value : 0;
    p.baselines.emplace_back(name, total / count);
  }
  set_interval(p, measured);
  set_bounds(p, seeds);
  return p;
}

}  // namespace

std::vector<Pooled> pool_seeds(const Manifest& manifest, std::span<const Cell> cells) {
  const auto variants = variants_of(manifest);
  std::map<std::string, const SettingInfo*> settings;
  for (const auto& s : manifest.settings) settings[s.id] = &s;
  const auto place = [](const auto& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) - names.begin();
  };
  std::vector<std::string> suites, metric_names;
  for (const auto& s : manifest.suites) suites.push_back(s.name);
  for (const Metric* m : metrics()) metric_names.emplace_back(m->name);

  using Key = std::tuple<ptrdiff_t, ptrdiff_t, ptrdiff_t, int64_t, bool, std::optional<Bin>, std::optional<double>,
                         std::optional<Bin>>;
  std::map<Key, SeedCells> groups;
  for (const auto& c : cells) {
    const SettingInfo* setting = settings.at(c.setting);
    groups[{place(variants, setting->variant), place(suites, c.suite), place(metric_names, c.metric), c.length,
            c.in_length, c.distance, c.depth, c.offset}]
        .emplace_back(setting, &c);
  }
  std::vector<Pooled> pooled;
  for (const auto& [key, seeds] : groups) pooled.push_back(pool(seeds));
  return pooled;
}

}  // namespace lw
