#include "reports/comparisons.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "reports/cells.h"
#include "reports/pairing.h"
#include "reports/statistics/multiplicity.h"

namespace lw {
namespace {

constexpr double kAlpha = 0.05;

/// Places of a scaled setting and of its unscaled twin, one entry a seed.
using Twins = std::vector<std::pair<size_t, size_t>>;

/// The unscaled setting that shares seed and weights with a scaled one.
std::optional<size_t> unscaled_twin(const Manifest& manifest, size_t scaled, const std::string& suite) {
  const SettingInfo& s = manifest.settings[scaled];
  for (size_t i = 0; i < manifest.settings.size(); ++i) {
    const SettingInfo& other = manifest.settings[i];
    if (!other.scaled && other.model == s.model && other.seed == s.seed &&
        other.weights_for(suite) == s.weights_for(suite))
      return i;
  }
  return std::nullopt;
}

/// The pairs of one variant and suite, all seeds together.
struct Matched {
  std::map<int64_t, Pairing> by_length;
  int64_t seeds = 0;
};

Matched match_seeds(const Manifest& manifest, const RecordIndex& index, const Twins& twins, size_t suite) {
  Matched result;
  for (const auto& [scaled, unscaled] : twins) {
    const std::string& name = manifest.suites[suite].name;
    if (!manifest.settings[scaled].learned(name) || !manifest.settings[unscaled].learned(name)) continue;
    ++result.seeds;
    for (const int64_t length : index.lengths(suite)) {
      const Pairing pairing = pair_records(index.of(unscaled, suite, length), index.of(scaled, suite, length));
      Pairing& all = result.by_length[length];
      all.pairs.insert(all.pairs.end(), pairing.pairs.begin(), pairing.pairs.end());
      all.unpaired += pairing.unpaired;
    }
  }
  return result;
}

void fill(Comparison& row, const Pairing& pairing, const Metric& metric) {
  row.unpaired = pairing.unpaired.total();
  const auto values = paired_values(pairing.pairs, metric);
  const Rng rng = Rng(0).stream("sign-flip").stream(row.suite).stream(row.variant);
  const auto result = compare(values, metric, rng);
  if (!result) {
    row.reason = row.seeds == 0 ? "not learned" : pairing.unpaired.unscored_run > 0 ? "no score" : "no probe in common";
    return;
  }
  result->put_into(row);
}

Verdict verdict(const Comparison& row, double margin) {
  if (!row.difference) return Verdict::kNone;
  const Metric& m = metric(row.metric);
  const bool held = row.low && (m.better == Better::kHigher ? *row.low > -margin : *row.high < margin);
  const Verdict found =
      direction(*row.difference, row.p_holm.value_or(1), kAlpha, m, held ? Verdict::kHeld : Verdict::kUndecided);
  return found == Verdict::kWorse && held ? Verdict::kSlightlyWorse : found;
}

/// Holm over the rows that answer one question: the lengths of a scope.
void adjust(std::vector<Comparison>& rows, Scope scope) {
  std::vector<double> p;
  std::vector<Comparison*> tested;
  for (auto& row : rows)
    if (row.scope == scope && row.p) {
      p.push_back(*row.p);
      tested.push_back(&row);
    }
  const auto adjusted = holm(p);
  for (size_t i = 0; i < tested.size(); ++i) tested[i]->p_holm = adjusted[i];
}

/// All comparisons of one variant on one suite: the short contexts together, then length by length.
std::vector<Comparison> compare_suite(const Manifest& manifest, const RecordIndex& index, const Twins& twins,
                                      size_t suite) {
  const SettingInfo& scaled = manifest.settings[twins.front().first];
  Comparison blank;
  blank.variant = scaled.variant;
  blank.baseline = manifest.settings[twins.front().second].variant;
  blank.suite = manifest.suites[suite].name;
  const SuiteFacts facts = suite_facts(manifest, index, suite);
  const Metric& compared = paired_metric(facts);
  blank.metric = compared.name;
  const Matched matched = match_seeds(manifest, index, twins, suite);
  blank.seeds = matched.seeds;

  Comparison brief = blank;
  brief.scope = Scope::kShort;
  brief.in_length = true;
  Pairing inside;
  std::vector<Comparison> rows;
  for (const int64_t length : index.lengths(suite)) {
    const auto found = matched.by_length.find(length);
    const Pairing pairing = found == matched.by_length.end() ? Pairing{} : found->second;
    Comparison row = blank;
    row.scope = Scope::kLength;
    row.length = length;
    row.in_length = length <= scaled.train_length;
    fill(row, pairing, compared);
    rows.push_back(row);
    if (!row.in_length) continue;
    inside.pairs.insert(inside.pairs.end(), pairing.pairs.begin(), pairing.pairs.end());
    inside.unpaired += pairing.unpaired;
  }
  fill(brief, inside, compared);
  if (!brief.value && (rows.empty() || !rows.front().in_length)) brief.reason = "no length up to the training length";
  rows.insert(rows.begin(), brief);
  adjust(rows, Scope::kLength);
  return rows;
}

}  // namespace

std::vector<Comparison> compare_scalings(const Manifest& manifest, const RecordIndex& index,
                                         const SummaryOptions& options) {
  std::vector<Comparison> result;
  for (const auto& variant : variants_of(manifest)) {
    std::vector<Comparison> rows;
    for (size_t suite = 0; suite < manifest.suites.size(); ++suite) {
      Twins twins;
      for (const size_t i : seeds_of(manifest, variant)) {
        if (!manifest.settings[i].scaled) continue;
        if (const auto twin = unscaled_twin(manifest, i, manifest.suites[suite].name)) twins.emplace_back(i, *twin);
      }
      if (twins.empty()) continue;
      const auto more = compare_suite(manifest, index, twins, suite);
      rows.insert(rows.end(), more.begin(), more.end());
    }
    adjust(rows, Scope::kShort);  // over suites
    for (auto& row : rows) row.verdict = verdict(row, options.margin);
    result.insert(result.end(), rows.begin(), rows.end());
  }
  return result;
}

}  // namespace lw
