#include "reports/diff.h"

#include <algorithm>
#include <map>
#include <set>

#include "harness/base/error.h"
#include "reports/cells.h"
#include "reports/distance_bins.h"
#include "reports/statistics/multiplicity.h"

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
    for (const Scope scope : {Scope::kShort, Scope::kBeyond, Scope::kLength, Scope::kDistance}) adjust(scope);
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

  void compare_suite(const std::string& label, const Match& all_seeds, size_t ours, size_t theirs) {
    const Match seeds = learned(all_seeds, base_.manifest.suites[ours].name);
    if (seeds.empty()) return;
    std::set<int64_t> lengths(base_index_.lengths(ours).begin(), base_index_.lengths(ours).end());
    lengths.insert(run_index_.lengths(theirs).begin(), run_index_.lengths(theirs).end());
    std::map<int64_t, Pairing> by_length;
    for (const int64_t length : lengths)
      for (const auto& [i, j] : seeds) {
        const Pairing pairing = pair_records(base_index_.of(i, ours, length), run_index_.of(j, theirs, length));
        Pairing& all = by_length[length];
        all.pairs.insert(all.pairs.end(), pairing.pairs.begin(), pairing.pairs.end());
        all.unpaired += pairing.unpaired;
      }
    for (const auto& [length, pairing] : by_length) {
      diff_.unpaired += pairing.unpaired;
      diff_.paired += static_cast<int64_t>(pairing.pairs.size());
    }
    Comparison blank;
    blank.variant = label;
    blank.baseline = base_.manifest.settings[seeds.front().first].variant;
    blank.seeds = int64_t(seeds.size());
    blank.suite = base_.manifest.suites[ours].name;
    const int64_t trained = std::min(base_.manifest.settings[seeds.front().first].train_length,
                                     run_.manifest.settings[seeds.front().second].train_length);
    for (const Metric* m : paired_metrics(suite_facts(base_.manifest, base_index_, ours))) {
      blank.metric = m->name;
      add_sides(blank, by_length, trained, *m);
      for (const auto& [length, pairing] : by_length) {
        Comparison row = blank;
        row.length = length;
        row.in_length = length <= trained;
        add_length(row, pairing, *m,
                   DistanceBins(base_.manifest, base_index_, ours, length, base_.options.distance_edges));
      }
    }
  }

  /// All lengths inside the training length together, and all beyond it.
  void add_sides(const Comparison& blank, const std::map<int64_t, Pairing>& by_length, int64_t trained,
                 const Metric& m) {
    for (const bool inside : {true, false}) {
      std::vector<RecordPair> pairs;
      for (const auto& [length, pairing] : by_length)
        if ((length <= trained) == inside) pairs.insert(pairs.end(), pairing.pairs.begin(), pairing.pairs.end());
      Comparison row = blank;
      row.scope = inside ? Scope::kShort : Scope::kBeyond;
      row.in_length = inside;
      add_row(row, paired_values(pairs, m), m);
    }
  }

  /// One length, and every distance at it.
  void add_length(Comparison row, const Pairing& pairing, const Metric& m, const DistanceBins& bins) {
    row.scope = Scope::kLength;
    row.lost = pairing.unpaired.unscored_run;
    const auto values = paired_values(pairing.pairs, m);
    if (values.empty()) {
      row.reason = reason_of(pairing.unpaired);
      if (row.lost > 0) row.verdict = Verdict::kLost;
      if (!row.reason.empty()) diff_.rows.push_back(row);
      return;
    }
    add_row(row, values, m);
    row.lost = 0;
    std::map<Bin, std::vector<PairedValue>> by_distance;
    for (const auto& v : values)
      if (v.base.distance) by_distance[bins.of(*v.base.distance)].push_back(v);
    if (by_distance.size() < 2) return;
    row.scope = Scope::kDistance;
    for (const auto& [bin, cell] : by_distance) {
      row.distance = bin;
      add_row(row, cell, m);
    }
  }

  static std::string reason_of(const Unpaired& u) {
    if (u.unscored_run > 0) return "no score in the run";
    if (u.unscored_base > 0) return "no score in the base";
    if (u.unscored_both > 0) return "no score on either side";
    if (u.other_prompt > 0) return "other prompts under the same ids";
    if (u.only_base > 0) return "not in the run";
    return u.only_run > 0 ? "not in the base" : "";
  }

  void add_row(Comparison row, const std::vector<PairedValue>& values, const Metric& m) {
    Rng rng = Rng(0).stream("diff").stream(row.variant).stream(row.suite).stream(scope_name(row.scope));
    if (row.length) rng = rng.stream(static_cast<uint64_t>(*row.length));
    if (row.distance) rng = rng.stream(static_cast<uint64_t>(row.distance->low));
    const auto result = compare(values, m, rng);
    if (!result) return;
    result->put_into(row);
    diff_.rows.push_back(row);
  }

  /// Holm over all rows of a scope, whatever their suite: one look at the table is one question.
  void adjust(Scope scope) {
    std::vector<double> p;
    std::vector<Comparison*> rows;
    for (auto& row : diff_.rows)
      if (row.scope == scope && row.p) {
        p.push_back(*row.p);
        rows.push_back(&row);
      }
    const auto adjusted = holm(p);
    for (size_t i = 0; i < rows.size(); ++i) {
      rows[i]->p_holm = adjusted[i];
      rows[i]->verdict =
          direction(*rows[i]->difference, adjusted[i], options_.alpha, metric(rows[i]->metric), Verdict::kNoneFound);
    }
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
      if (row.regressed() && (scope == RegressionScope::kAny || row.in_length)) return true;
  }
  return false;
}

}  // namespace lw
