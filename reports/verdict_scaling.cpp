// What scaling buys beyond the training length, and what it costs inside. A sentence about the scaling rests on the
// seeds' own differences; one that says "on these weights" rests on the probes.
#include <algorithm>
#include <tuple>

#include "harness/base/error.h"
#include "harness/base/text.h"
#include "reports/verdict_claims.h"
#include "reports/words.h"

namespace lw {
namespace {

using Tone = Claim::Tone;

std::string interval_words(const Finding& f) {
  return f.low ? " [" + signed_number(*f.low) + ", " + signed_number(*f.high) + "]" : "";
}

/// "; seeds +0.12 to +0.37"
std::string seed_range(const Comparison& c) {
  if (c.by_seed.size() < 2 || c.by_seed.size() >= 5) return "";
  const auto [low, high] = std::minmax_element(
      c.by_seed.begin(), c.by_seed.end(), [](const auto& x, const auto& y) { return x.difference < y.difference; });
  return "; " + std::to_string(c.by_seed.size()) + " seeds " + signed_number(low->difference) + " to " +
         signed_number(high->difference);
}

/// A row with what a sentence may rest on: the seeds, or these weights.
struct Evidence {
  const Comparison* row = nullptr;
  bool weights = false;

  const Finding& finding() const { return weights && row->on_weights ? *row->on_weights : *row; }
  bool shows(Verdict v) const { return finding().verdict == v; }
  double gain() const { return *row->difference * (metric(row->metric).better == Better::kHigher ? 1 : -1); }
  /// "rope-linear-8 0.97 against 0.44 (+0.53 [+0.48, +0.58], p<0.001; 3 seeds +0.48 to +0.58)"
  std::string words() const {
    const Comparison& c = *row;
    std::string text = c.variant + " " + quoted(*c.value) + " against " + quoted(*c.baseline_value) + " (" +
                       signed_number(*c.difference) + interval_words(finding());
    const std::string_view unit = metric(c.metric).nats;
    if (!unit.empty()) text += " " + std::string(unit);
    if (finding().p_adjusted) text += ", " + p_words(*finding().p_adjusted);
    return text + seed_range(c) + ")";
  }
};

/// Whether a sentence may be about this row: both sides were evaluated whole, and the weights do the task.
bool founded(const View& view, const Comparison& c) {
  return c.difference && c.missing == 0 && in_length(view, c.baseline, c.suite).success == Success::kShown;
}

std::vector<const Comparison*> rows_in(const View& view, Scope scope, std::vector<std::string>& unfounded) {
  std::vector<const Comparison*> rows;
  for (const auto& c : view.summary().comparisons) {
    if (c.scope != scope || !c.value) continue;
    const std::string words = c.missing > 0 ? c.suite + " (probes without a score)"
                                            : c.suite + " (" + in_length(view, c.baseline, c.suite).words + ")";
    if (founded(view, c))
      rows.push_back(&c);
    else if (std::find(unfounded.begin(), unfounded.end(), words) == unfounded.end())
      unfounded.push_back(words);
  }
  return rows;
}

/// Whether the seeds show it of any row; if not, what these weights show is said instead.
bool only_weights(const std::vector<const Comparison*>& rows, Verdict what) {
  return std::none_of(rows.begin(), rows.end(),
                      [&](const Comparison* c) { return c->verdict == what && c->about == About::kSeeds; });
}

std::string unfounded_words(const std::vector<std::string>& unfounded) {
  return unfounded.empty()
             ? ""
             : " Not counted, since no success is shown inside the training length: " + join(unfounded, "; ") + ".";
}

/// "Holm-corrected over 24 comparisons": the family that the sentence was chosen from.
std::string family_words(const View& view, bool weights) {
  const auto& rows = view.summary().comparisons;
  const auto size = std::count_if(rows.begin(), rows.end(), [&](const Comparison& c) {
    return carries_claims(c.scope) && (weights ? c.on_weights && c.on_weights->p : c.p.has_value());
  });
  return "p corrected by Holm over " + plural(size, "comparison");
}

/// The best scaled variant of a suite, all lengths beyond training together.
Evidence best_scaling(const std::vector<const Comparison*>& rows, const std::string& suite, bool weights) {
  Evidence best;
  const auto key = [](const Evidence& e) { return std::tuple(e.shows(Verdict::kBetter), e.gain()); };
  for (const Comparison* c : rows) {
    const Evidence e{c, weights};
    if (c->suite == suite && (best.row == nullptr || key(e) > key(best))) best = e;
  }
  return best;
}

}  // namespace

std::optional<Claim> scaling_claim(const View& view) {
  std::vector<std::string> unfounded, helped, unhelped;
  const auto rows = rows_in(view, Scope::kBeyond, unfounded);
  const bool weights = only_weights(rows, Verdict::kBetter);
  for (const auto& suite : view.summary().manifest.suites) {
    const Evidence best = best_scaling(rows, suite.name, weights);
    if (best.row == nullptr) continue;
    (best.shows(Verdict::kBetter) ? helped : unhelped).push_back(suite.name + ": " + best.words());
  }
  if (helped.empty() && unhelped.empty()) return std::nullopt;
  Claim claim;
  const std::string family = " All lengths beyond training together; " + family_words(view, weights) + ".";
  if (helped.empty()) {
    claim.headline = "No scaling is shown to help beyond the training length.";
    claim.text = "Best: " + join(unhelped, "; ") + "." + family + unfounded_words(unfounded);
    return claim;
  }
  claim.tone = Tone::kGood;
  claim.headline = weights ? "On these weights, scaling helps beyond the training length"
                           : "Scaling helps beyond the training length";
  if (!unhelped.empty())
    claim.headline +=
        " on " + std::to_string(helped.size()) + " of " + std::to_string(helped.size() + unhelped.size()) + " suites";
  claim.headline += ".";
  claim.text = join(helped, "; ") + "." + (unhelped.empty() ? "" : " Not shown: " + join(unhelped, "; ") + ".") +
               family + (weights ? " Of other seeds this says nothing." : "") + unfounded_words(unfounded);
  return claim;
}

namespace {

/// "copy, unscaled 0.84: rope-linear-8 -0.82 [-0.84, -0.79]; ..." of rows sorted by loss.
std::string price_words(const std::vector<Evidence>& worse, size_t most) {
  std::vector<std::pair<std::string, std::string>> by_suite;
  for (size_t i = 0; i < worse.size() && i < most; ++i) {
    const Comparison& c = *worse[i].row;
    const std::string head = c.suite + ", unscaled " + quoted(*c.baseline_value);
    auto found = std::find_if(by_suite.begin(), by_suite.end(), [&](const auto& x) { return x.first == head; });
    if (found == by_suite.end()) found = by_suite.insert(by_suite.end(), {head, ""});
    found->second += (found->second.empty() ? "" : ", ") + c.variant + " " + signed_number(*c.difference) +
                     interval_words(worse[i].finding()) +
                     (seed_range(c).empty() ? "" : " (" + seed_range(c).substr(2) + ")");
  }
  std::vector<std::string> words;
  for (const auto& [head, list] : by_suite) words.push_back(head + ": " + list);
  return join(words, "; ") + (worse.size() > most ? "; and " + std::to_string(worse.size() - most) + " more" : "");
}

/// The loss is shown to be smaller than the margin, or there is none.
bool no_price(const Finding& f) {
  return f.verdict == Verdict::kHeld || f.verdict == Verdict::kSlightlyWorse || f.verdict == Verdict::kSlightlyBetter ||
         f.verdict == Verdict::kBetter;
}

/// Nothing is worse: every row is shown to be so, or it stays open.
Claim no_price_claim(const std::vector<const Comparison*>& rows, const std::string& inside, const std::string& margin) {
  ptrdiff_t seeds = 0, asked = 0, weights = 0;
  for (const Comparison* c : rows) {
    weights += no_price(Evidence{c, true}.finding()) ? 1 : 0;
    if (c->about != About::kSeeds) continue;
    ++asked;
    seeds += no_price(*c) ? 1 : 0;
  }
  const auto all = std::ssize(rows);
  const bool over_seeds = seeds == all;
  Claim claim;
  claim.tone = weights == all || over_seeds ? Tone::kGood : Tone::kNote;
  claim.headline = over_seeds       ? "No price " + inside + "."
                   : weights == all ? "On these weights, no price " + inside + "."
                                    : "Whether there is a price " + inside + " is undecided.";
  claim.text = text(weights, " of ", all, " comparisons with the unscaled weights show a loss smaller than ", margin,
                    " on these weights", asked == 0 ? "." : text("; ", seeds, " of ", asked, " over seeds."));
  return claim;
}

}  // namespace

std::optional<Claim> price_claim(const View& view) {
  std::vector<std::string> unfounded;
  const auto rows = rows_in(view, Scope::kShort, unfounded);
  const std::string inside = view.train_length() > 0 ? "inside " + trained_words(view) : "inside the training length";
  if (rows.empty()) {
    if (unfounded.empty()) return std::nullopt;
    Claim claim;
    claim.headline = "Whether there is a price " + inside + " cannot be said.";
    claim.text = unfounded_words(unfounded).substr(1);
    return claim;
  }
  const bool weights = only_weights(rows, Verdict::kWorse);
  std::vector<Evidence> worse;
  size_t held = 0;
  for (const Comparison* c : rows) {
    const Evidence e{c, weights};
    if (e.shows(Verdict::kWorse)) worse.push_back(e);
    held += no_price(e.finding()) ? 1 : 0;
  }
  const std::string margin = quoted(view.summary().options.margin);
  if (worse.empty()) {
    Claim claim = no_price_claim(rows, inside, margin);
    claim.text += unfounded_words(unfounded);
    return claim;
  }
  std::stable_sort(worse.begin(), worse.end(), [](const auto& x, const auto& y) { return x.gain() < y.gain(); });
  double largest = 0;
  for (const auto& e : worse) largest = std::max(largest, e.finding().p_adjusted.value_or(1));
  Claim claim;
  claim.tone = Tone::kPrice;
  claim.headline = weights ? "On these weights, the price " + inside + ":" : "The price " + inside + ":";
  claim.text =
      price_words(worse, 5) + " (" + p_words(largest) + " or less; " + family_words(view, weights) + "). " +
      text(held, " of ", rows.size(), " comparisons with the unscaled weights show a loss smaller than ", margin, ".") +
      unfounded_words(unfounded);
  return claim;
}

}  // namespace lw
