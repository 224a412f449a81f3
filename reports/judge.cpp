// Verdicts of comparisons: one margin, one correction, one rule.
#include <vector>

#include "reports/difference.h"
#include "reports/statistics/multiplicity.h"

namespace lw {
namespace {

/// A row's finding, as it is or on its weights; null where there is none.
using Choose = Finding* (*)(Comparison&);

Finding* over_seeds(Comparison& row) { return row.p ? &row : nullptr; }
Finding* on_weights(Comparison& row) { return row.on_weights ? &*row.on_weights : nullptr; }

void correct(std::span<Comparison> rows, bool claims, Choose choose) {
  std::vector<double> p;
  std::vector<Finding*> tested;
  for (auto& row : rows) {
    Finding* finding = choose(row);
    if (carries_claims(row.scope) != claims || finding == nullptr || !finding->p) continue;
    p.push_back(*finding->p);
    tested.push_back(finding);
  }
  const auto corrected = claims ? holm(p) : benjamini_hochberg(p);
  for (size_t i = 0; i < tested.size(); ++i) tested[i]->p_adjusted = corrected[i];
}

Verdict verdict_of(const Comparison& row, const Finding& finding, double margin, double alpha) {
  if (row.missing > 0) return Verdict::kIncomplete;
  if (row.at_chance) return Verdict::kAtChance;
  if (row.about == About::kOneTraining) return Verdict::kOneSeed;
  const bool higher = metric(row.metric).better == Better::kHigher;
  const double gain = higher ? *row.difference : -*row.difference;
  const bool no_loss = finding.low && (higher ? *finding.low > -margin : *finding.high < margin);
  const bool no_gain = finding.low && (higher ? *finding.high < margin : *finding.low > -margin);
  if (finding.p_adjusted.value_or(1) < alpha && gain > 0) return no_gain ? Verdict::kSlightlyBetter : Verdict::kBetter;
  if (finding.p_adjusted.value_or(1) < alpha && gain < 0) return no_loss ? Verdict::kSlightlyWorse : Verdict::kWorse;
  return no_loss ? Verdict::kHeld : Verdict::kUndecided;
}

}  // namespace

void judge(std::span<Comparison> rows, double margin, double alpha) {
  for (const bool claims : {true, false})
    for (const Choose choose : {over_seeds, on_weights}) correct(rows, claims, choose);
  for (auto& row : rows) {
    if (!row.difference) continue;
    row.verdict = verdict_of(row, row, margin, alpha);
    if (row.on_weights) row.on_weights->verdict = verdict_of(row, *row.on_weights, margin, alpha);
  }
}

}  // namespace lw
