#include "reports/diff.h"

#include <algorithm>
#include <set>
#include <utility>

#include "harness/base/error.h"
#include "reports/cells.h"
#include "reports/suite_comparison.h"

namespace lw {
namespace {

/// Places of matched settings in base and run.
using Match = std::vector<std::pair<size_t, size_t>>;

std::vector<std::string> names_of(const Manifest& manifest) {
  std::vector<std::string> names = variants_of(manifest);
  for (const auto& s : manifest.settings) names.push_back(s.id);
  return names;
}

/// Settings that a name stands for: one id, or every seed of a variant.
std::vector<size_t> settings_named(const LoadedRun& run, const std::string& name) {
  const auto& settings = run.manifest.settings;
  for (size_t i = 0; i < settings.size(); ++i)
    if (settings[i].id == name) return {i};
  auto found = seeds_of(run.manifest, name);
  if (!found.empty()) return found;
  throw Error(ErrorKind::kUsage, run.folder.string() + ": found no setting or variant '" + name + "'; allowed: " +
                                     join(variants_of(run.manifest)) + did_you_mean(name, names_of(run.manifest)));
}

/// Pairs by seed; two single settings are a pair whatever their seeds.
void match_seeds(const LoadedRun& base, const std::vector<size_t>& ours, const LoadedRun& run,
                 const std::vector<size_t>& theirs, Match& match) {
  if (ours.size() == 1 && theirs.size() == 1) return match.emplace_back(ours[0], theirs[0]), void();
  for (const size_t i : ours)
    for (const size_t j : theirs)
      if (base.manifest.settings[i].seed == run.manifest.settings[j].seed) match.emplace_back(i, j);
}

Match match_settings(const LoadedRun& base, const LoadedRun& run, const DiffOptions& options) {
  Match match;
  if (!options.names.empty()) {
    for (const auto& [ours, theirs] : options.names)
      match_seeds(base, settings_named(base, ours), run, settings_named(run, theirs), match);
    return match;
  }
  const auto& ours = base.manifest.settings;
  const auto& theirs = run.manifest.settings;
  for (size_t i = 0; i < ours.size(); ++i)
    for (size_t j = 0; j < theirs.size(); ++j)
      if (ours[i].id == theirs[j].id) match.emplace_back(i, j);
  const auto our_variants = variants_of(base.manifest), their_variants = variants_of(run.manifest);
  if (match.empty() && our_variants.size() == 1 && their_variants.size() == 1)
    match_seeds(base, seeds_of(base.manifest, our_variants[0]), run, seeds_of(run.manifest, their_variants[0]), match);
  return match;
}

/// Compares the matched settings of one pair of runs.
class RunComparison {
 public:
  RunComparison(const LoadedRun& base, const LoadedRun& run, const DiffOptions& options)
      : base_(base),
        run_(run),
        options_(options),
        base_index_(base.manifest, base.records),
        run_index_(run.manifest, run.records),
        match_(match_settings(base, run, options)) {}

  RunDiff make() {
    diff_.base = base_.folder.string();
    diff_.run = run_.folder.string();
    if (match_.empty())
      throw Error(ErrorKind::kUsage, diff_.base + " and " + diff_.run +
                                         ": found no setting in both; allowed: runs of the same settings, one variant "
                                         "each, or names that say which to pair (" +
                                         join(variants_of(base_.manifest)) + " | " + join(variants_of(run_.manifest)) +
                                         ")");
    note_unmatched();
    for (const auto& [label, seeds] : by_variant()) compare_variant(label, seeds);
    if (diff_.paired == 0 && diff_.unlearned.empty())
      throw Error(ErrorKind::kInput,
                  diff_.base + " and " + diff_.run + ": found no probe in both with the same prompt");
    judge(diff_.rows, base_.options.margin, options_.alpha);
    diff_.margin = base_.options.margin;
    return diff_;
  }

 private:
  void note_unmatched() {
    std::set<size_t> ours, theirs;
    for (const auto& [i, j] : match_) {
      diff_.settings.emplace_back(base_.manifest.settings[i].id, run_.manifest.settings[j].id);
      ours.insert(i);
      theirs.insert(j);
    }
    for (size_t i = 0; i < base_.manifest.settings.size(); ++i)
      if (!ours.contains(i)) diff_.unmatched.push_back("base: " + base_.manifest.settings[i].id);
    for (size_t j = 0; j < run_.manifest.settings.size(); ++j)
      if (!theirs.contains(j)) diff_.unmatched.push_back("run: " + run_.manifest.settings[j].id);
  }

  std::vector<std::pair<std::string, Match>> by_variant() const {
    std::vector<std::pair<std::string, Match>> result;
    for (const auto& pair : match_) {
      const std::string& ours = base_.manifest.settings[pair.first].variant;
      const std::string& theirs = run_.manifest.settings[pair.second].variant;
      const std::string label = ours == theirs ? ours : ours + " -> " + theirs;
      auto found = std::find_if(result.begin(), result.end(), [&](const auto& entry) { return entry.first == label; });
      if (found == result.end()) found = result.insert(result.end(), {label, {}});
      found->second.push_back(pair);
    }
    return result;
  }

  void compare_variant(const std::string& label, const Match& seeds) {
    for (size_t ours = 0; ours < base_.manifest.suites.size(); ++ours) {
      const std::string& name = base_.manifest.suites[ours].name;
      for (size_t theirs = 0; theirs < run_.manifest.suites.size(); ++theirs)
        if (run_.manifest.suites[theirs].name == name) compare_suite(label, seeds, ours, theirs);
    }
  }

  /// Seeds that learned the suite on both sides; notes the others.
  Match learned(const Match& seeds, const std::string& suite) {
    Match result;
    for (const auto& [i, j] : seeds) {
      const SettingInfo &ours = base_.manifest.settings[i], &theirs = run_.manifest.settings[j];
      const bool before = ours.learned(suite), after = theirs.learned(suite);
      if (before && after) {
        result.emplace_back(i, j);
        continue;
      }
      const std::string where = before ? "in the run" : after ? "in the base" : "on either side";
      diff_.unlearned.push_back(theirs.id + " on " + suite + ", not learned " + where);
      diff_.gates_lost += before ? 1 : 0;
    }
    return result;
  }

  /// Where both sides have the same chance level.
  std::optional<double> chance_of_both(const std::pair<size_t, size_t>& seed, const std::string& suite) const {
    const SuiteMeta* ours = asked_suite(base_.manifest, base_.manifest.settings[seed.first], suite);
    const SuiteMeta* theirs = asked_suite(run_.manifest, run_.manifest.settings[seed.second], suite);
    return ours != nullptr && theirs != nullptr && ours->chance == theirs->chance ? ours->chance : std::nullopt;
  }

  void compare_suite(const std::string& label, const Match& all_seeds, size_t ours, size_t theirs) {
    const std::string& name = base_.manifest.suites[ours].name;
    const Match seeds = learned(all_seeds, name);
    if (seeds.empty()) return;
    std::set<int64_t> lengths(base_index_.lengths(ours).begin(), base_index_.lengths(ours).end());
    lengths.insert(run_index_.lengths(theirs).begin(), run_index_.lengths(theirs).end());
    const SettingInfo& first = base_.manifest.settings[seeds.front().first];
    SuiteComparison comparison;
    comparison.blank.variant = label;
    comparison.blank.baseline = first.variant;
    comparison.blank.suite = name;
    comparison.train_length = std::min(first.train_length, run_.manifest.settings[seeds.front().second].train_length);
    comparison.chance = chance_of_both(seeds.front(), name);
    comparison.base_name = "the base";
    comparison.run_name = "the run";
    for (const int64_t length : lengths)
      comparison.bins.emplace(length,
                              DistanceBins(base_.manifest, base_index_, ours, length, base_.options.distance_edges));
    for (const auto& [i, j] : seeds) {
      MatchedSeed seed = match_models(base_.manifest.settings[i], run_.manifest.settings[j], name);
      for (const int64_t length : lengths)
        seed.by_length[length] = pair_records(base_index_.of(i, ours, length), run_index_.of(j, theirs, length));
      comparison.seeds.push_back(std::move(seed));
    }
    diff_.unpaired += comparison.unpaired();
    diff_.paired += comparison.pairs();
    for (const Metric* m : paired_metrics(suite_facts(base_.manifest, base_index_, ours)))
      for (const auto& row : comparison.rows(*m))
        if (row.difference || row.lost > 0 || row.unpaired > 0) diff_.rows.push_back(row);
  }

  const LoadedRun& base_;
  const LoadedRun& run_;
  const DiffOptions& options_;
  RecordIndex base_index_, run_index_;
  Match match_;
  RunDiff diff_;
};

}  // namespace

Diff diff_runs(const LoadedRun& base, std::span<const LoadedRun> runs, const DiffOptions& options) {
  Diff diff;
  diff.alpha = options.alpha;
  for (const auto& run : runs) diff.runs.push_back(RunComparison(base, run, options).make());
  return diff;
}

bool has_regression(const Diff& diff, RegressionScope scope) {
  for (const auto& run : diff.runs) {
    if (run.gates_lost > 0) return true;
    for (const auto& row : run.rows)
      if ((row.lost > 0 || (carries_claims(row.scope) && row.regressed())) &&
          (scope == RegressionScope::kAny || row.in_length))
        return true;
  }
  return false;
}

}  // namespace lw
