// Effective length and areas of the curves over length, from pooled values.
#include <algorithm>
#include <map>
#include <set>

#include "harness/base/text.h"
#include "reports/index.h"
#include "reports/metrics/metric.h"
#include "reports/pooled.h"
#include "reports/statistics/curve.h"
#include "reports/statistics/effective_length.h"
#include "reports/statistics/intervals.h"

namespace lw {
namespace {

bool whole(const auto& cell) { return !cell.distance && !cell.depth && !cell.offset; }

ScoreAtLength bounds(const Cell& cell, double z) {
  const Interval one_sided = wilson(*cell.value, cell.effective_n, z);
  return {cell.length, one_sided.low, *cell.value, one_sided.high};
}

/// Where the machine, not the position scheme, was the limit: the curve is censored there, not failed.
bool beyond_the_machine(const Pooled& p) { return p.reason == "not run" || p.reason.starts_with("too long"); }

/// Scores at the lengths of one variant and suite, up to the first that has none or not all.
struct Track {
  std::vector<ScoreAtLength> pooled;
  std::vector<ScoreAtLength> corrected;                   // the same with bounds for the best of several variants
  std::map<int64_t, std::vector<ScoreAtLength>> by_seed;  // learned seeds
  int64_t fewest = 0;                                     // independent probes of a seed at one length
  bool failed = false;                                    // ended by a length that the scheme has no score for
  std::string ended_by;
};

/// z of a one-sided 95 % bound that holds for all of `family` variants at once (Bonferroni).
double corrected_z(int64_t family) { return normal_quantile(1 - 0.05 / static_cast<double>(family)); }

Track track(const std::vector<const Pooled*>& by_length, const std::map<std::string, std::vector<const Cell*>>& cells,
            const Manifest& manifest, int64_t family) {
  Track result;
  for (const Pooled* p : by_length) {
    if (!p->value) {
      if (beyond_the_machine(*p)) continue;
      result.ended_by = p->reason.substr(0, p->reason.find(':')) + " at " + std::to_string(p->length);
      result.failed = true;
      break;
    }
    if (!complete(*p)) {
      result.ended_by = text("no score for ", p->n_total - p->n_scored, " of ", p->n_total, " probes at ", p->length);
      break;
    }
    ScoreAtLength score{p->length, 1, *p->value, 0}, corrected = score;
    for (const size_t i : seeds_of(manifest, p->variant)) {
      const SettingInfo& setting = manifest.settings[i];
      if (!setting.learned(p->suite)) continue;
      for (const Cell* c : cells.at(setting.id)) {
        if (c->suite != p->suite || c->length != p->length || !c->value) continue;
        const ScoreAtLength own = bounds(*c, kZ95OneSided);
        score.low = std::min(score.low, own.low);
        score.high = std::max(score.high, own.high);
        corrected.low = std::min(corrected.low, bounds(*c, corrected_z(family)).low);
        result.fewest = result.fewest == 0 ? c->clusters : std::min(result.fewest, c->clusters);
        result.by_seed[setting.seed].push_back(own);
      }
    }
    result.pooled.push_back(score);
    result.corrected.push_back(corrected);
  }
  return result;
}

EffectiveLength effective(const std::vector<const Pooled*>& by_length,
                          const std::map<std::string, std::vector<const Cell*>>& cells, const Manifest& manifest,
                          double bar, int64_t family) {
  const Pooled& first = *by_length.front();
  EffectiveLength e;
  e.variant = first.variant;
  e.suite = first.suite;
  e.metric = first.metric;
  e.bar = bar;
  e.chance = first.chance;
  e.seeds_total = first.seeds_total;
  e.seeds_learned = first.seeds_learned;
  for (const size_t i : seeds_of(manifest, first.variant)) e.train_length = manifest.settings[i].train_length;
  if (e.seeds_learned == 0) {
    e.reason = first.reason;
    return e;
  }
  const Track t = track(by_length, cells, manifest, family);
  e.family = family;
  e.fewest = t.fewest;
  if (t.pooled.empty()) {
    e.reason = first.reason.empty() ? t.ended_by : first.reason;
    return e;
  }
  const Reach r = reach(t.pooled, bar);
  e.proven = r.proven;
  e.claimed = reach(t.corrected, bar).proven;
  e.point = r.point;
  e.not_refuted = r.not_refuted;
  e.crossing = log2_crossing(t.pooled, bar);
  e.shortest = t.pooled.front().length;
  // A scheme that has no position further on did not hold to the end of what was tested.
  e.longest = !t.failed ? t.pooled.back().length : by_length.back()->length;
  e.reason = t.ended_by;
  for (const auto& [seed, scores] : t.by_seed) e.by_seed.push_back({seed, reach(scores, bar).point});
  return e;
}

}  // namespace

std::string EffectiveLength::text(const std::optional<int64_t>& reached) const {
  return reach_text(reached, shortest, longest);
}

std::vector<EffectiveLength> effective_lengths(const Manifest& manifest, std::span<const Cell> cells,
                                               std::span<const Pooled> pooled, double bar) {
  std::map<std::string, const Metric*> mains;  // of suites with answers
  for (const auto& p : pooled) {
    const Metric& m = metric(p.metric);
    if (m.shown != Shown::kAnswers || m.main == 0) continue;
    const Metric*& main = mains[p.suite];
    if (main == nullptr || m.main < main->main) main = &m;
  }
  const auto counts = [&](const auto& x) {
    const auto found = mains.find(x.suite);
    return found != mains.end() && x.metric == found->second->name && whole(x);
  };
  std::map<std::string, std::vector<const Cell*>> by_setting;
  for (const auto& s : manifest.settings) by_setting[s.id];
  for (const auto& c : cells)
    if (counts(c)) by_setting[c.setting].push_back(&c);
  std::map<std::string, std::set<std::string>> learned;  // variants of a suite from which the best is taken
  for (const auto& p : pooled)
    if (counts(p) && p.seeds_learned > 0) learned[p.suite].insert(p.variant);
  std::vector<EffectiveLength> result;
  for (const auto& variant : variants_of(manifest))
    for (const auto& suite : manifest.suites) {
      std::vector<const Pooled*> by_length;
      for (const auto& p : pooled)
        if (p.variant == variant && p.suite == suite.name && counts(p)) by_length.push_back(&p);
      const auto family = std::max<int64_t>(1, std::ssize(learned[suite.name]));
      if (!by_length.empty()) result.push_back(effective(by_length, by_setting, manifest, bar, family));
    }
  return result;
}

std::vector<Curve> curves_of(const Manifest& manifest, std::span<const Pooled> pooled) {
  std::vector<Curve> curves;
  std::vector<CurvePoint> points;
  const auto close = [&](const Pooled& p) {
    int64_t train_length = 0;
    for (const size_t i : seeds_of(manifest, p.variant)) train_length = manifest.settings[i].train_length;
    const SplitArea area = split_area(points, train_length);
    if (area.in_length || area.beyond) curves.push_back({p.variant, p.suite, p.metric, area.in_length, area.beyond});
    points.clear();
  };
  const Pooled* last = nullptr;
  for (const auto& p : pooled) {
    if (!whole(p)) continue;
    if (last != nullptr && std::tie(last->variant, last->suite, last->metric) != std::tie(p.variant, p.suite, p.metric))
      close(*last);
    if (p.value) points.push_back({p.length, *p.value});
    last = &p;
  }
  if (last != nullptr) close(*last);
  return curves;
}

}  // namespace lw
