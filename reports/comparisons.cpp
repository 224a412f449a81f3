#include "reports/comparisons.h"

#include <utility>

#include "reports/cells.h"
#include "reports/suite_comparison.h"

namespace lw {
namespace {

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

/// All comparisons of one variant on one suite.
std::vector<Comparison> compare_twins(const Manifest& manifest, const RecordIndex& index, const Twins& twins,
                                      size_t suite) {
  const SettingInfo& first = manifest.settings[twins.front().first];
  const std::string& name = manifest.suites[suite].name;
  SuiteComparison comparison;
  comparison.blank.variant = first.variant;
  comparison.blank.baseline = manifest.settings[twins.front().second].variant;
  comparison.blank.suite = name;
  comparison.train_length = first.train_length;
  if (const SuiteMeta* asked = asked_suite(manifest, first, name)) comparison.chance = asked->chance;
  comparison.base_name = comparison.blank.baseline;
  comparison.run_name = comparison.blank.variant;
  for (const auto& [scaled, unscaled] : twins) {
    const SettingInfo &run = manifest.settings[scaled], &base = manifest.settings[unscaled];
    if (!run.learned(name) || !base.learned(name)) continue;
    MatchedSeed seed = match_models(base, run, name);
    for (const int64_t length : index.lengths(suite))
      seed.by_length[length] = pair_records(index.of(unscaled, suite, length), index.of(scaled, suite, length));
    comparison.seeds.push_back(std::move(seed));
  }
  return comparison.rows(paired_metric(suite_facts(manifest, index, suite)));
}

}  // namespace

std::vector<Comparison> compare_scalings(const Manifest& manifest, const RecordIndex& index,
                                         const SummaryOptions& options) {
  std::vector<Comparison> rows;
  for (const auto& variant : variants_of(manifest))
    for (size_t suite = 0; suite < manifest.suites.size(); ++suite) {
      Twins twins;
      for (const size_t i : seeds_of(manifest, variant)) {
        if (!manifest.settings[i].scaled) continue;
        if (const auto twin = unscaled_twin(manifest, i, manifest.suites[suite].name)) twins.emplace_back(i, *twin);
      }
      if (twins.empty()) continue;
      const auto more = compare_twins(manifest, index, twins, suite);
      rows.insert(rows.end(), more.begin(), more.end());
    }
  judge(rows, options.margin);
  for (auto& row : rows) {  // nothing is lost between settings of one run: there is a number, or a reason
    row.lost = 0;
    if (row.verdict == Verdict::kLost) row.verdict = Verdict::kNone;
  }
  return rows;
}

}  // namespace lw
