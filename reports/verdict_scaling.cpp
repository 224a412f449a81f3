// What scaling buys and costs, and which seeds did not learn.
#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>

#include "harness/base/error.h"
#include "harness/base/text.h"
#include "reports/verdict_claims.h"
#include "reports/words.h"

namespace lw {
namespace {

using Tone = Claim::Tone;

/// "rope-linear-8 0.97 against 0.44 (+0.53 [+0.48, +0.58], p < 0.001)"
std::string comparison_words(const Comparison& c) {
  std::string text = c.variant + " " + quoted(*c.value) + " against " + quoted(*c.baseline_value) + " (" +
                     signed_number(*c.difference);
  if (c.low) text += " [" + signed_number(*c.low) + ", " + signed_number(*c.high) + "]";
  const std::string_view unit = metric(c.metric).nats;
  return text + (unit.empty() ? "" : " " + std::string(unit)) + ", " + p_words(c.reported_p()) + ")";
}

double gain(const Comparison& c) { return *c.difference * (metric(c.metric).better == Better::kHigher ? 1 : -1); }

/// The best scaled variant of a suite at the longest length at which scaling helps, or else at the longest at all.
const Comparison* best_scaling(const Summary& summary, const std::string& suite) {
  const Comparison* best = nullptr;
  const auto key = [](const Comparison& c) { return std::tuple(c.verdict == Verdict::kBetter, *c.length, gain(c)); };
  for (const auto& c : summary.comparisons) {
    if (c.suite != suite || c.scope != Scope::kLength || c.in_length || !c.value) continue;
    if (best == nullptr || key(c) > key(*best)) best = &c;
  }
  return best;
}

}  // namespace

std::optional<Claim> scaling_claim(const Summary& summary) {
  std::vector<std::string> helped, unhelped;
  for (const auto& suite : summary.manifest.suites) {
    const Comparison* best = best_scaling(summary, suite.name);
    if (best == nullptr) continue;
    const std::string words = suite.name + " at " + format_grouped(*best->length) + ": " + comparison_words(*best);
    (best->verdict == Verdict::kBetter ? helped : unhelped).push_back(words);
  }
  if (helped.empty() && unhelped.empty()) return std::nullopt;
  Claim claim;
  if (helped.empty()) {
    claim.tone = Tone::kBad;
    claim.headline = "No scaling is shown to help beyond the training length.";
    claim.text = "Best: " + join(unhelped, "; ") + ".";
    return claim;
  }
  claim.tone = Tone::kGood;
  claim.headline = "Scaling helps beyond the training length";
  if (!unhelped.empty())
    claim.headline +=
        " on " + std::to_string(helped.size()) + " of " + std::to_string(helped.size() + unhelped.size()) + " suites";
  claim.headline += ".";
  claim.text = join(helped, "; ") + "." + (unhelped.empty() ? "" : " Not shown: " + join(unhelped, "; ") + ".");
  return claim;
}

namespace {

/// "copy, unscaled 0.84: rope-linear-8 -0.82 [-0.84, -0.79]; ..." of rows sorted by loss.
std::string price_words(const std::vector<const Comparison*>& worse, size_t most) {
  std::vector<std::pair<std::string, std::string>> by_suite;
  for (size_t i = 0; i < worse.size() && i < most; ++i) {
    const Comparison& c = *worse[i];
    const std::string head = c.suite + ", unscaled " + quoted(*c.baseline_value);
    auto found = std::find_if(by_suite.begin(), by_suite.end(), [&](const auto& x) { return x.first == head; });
    if (found == by_suite.end()) found = by_suite.insert(by_suite.end(), {head, ""});
    found->second += (found->second.empty() ? "" : ", ") + c.variant + " " + signed_number(*c.difference);
    if (c.low) found->second += " [" + signed_number(*c.low) + ", " + signed_number(*c.high) + "]";
  }
  std::vector<std::string> words;
  for (const auto& [head, list] : by_suite) words.push_back(head + ": " + list);
  return join(words, "; ") + (worse.size() > most ? "; and " + std::to_string(worse.size() - most) + " more" : "");
}

}  // namespace

std::optional<Claim> price_claim(const View& view) {
  std::vector<const Comparison*> worse;
  size_t measured = 0, held = 0;
  for (const auto& c : view.summary().comparisons) {
    if (c.scope != Scope::kShort || !c.value) continue;
    ++measured;
    if (c.verdict == Verdict::kWorse) worse.push_back(&c);
    held += c.verdict == Verdict::kWorse || c.verdict == Verdict::kUndecided ? 0 : 1;
  }
  if (measured == 0) return std::nullopt;
  std::stable_sort(worse.begin(), worse.end(), [](const auto* x, const auto* y) { return gain(*x) < gain(*y); });
  const std::string inside = view.train_length() > 0 ? "inside " + trained_words(view) : "inside the training length";
  const std::string count = std::to_string(held) + " of " + std::to_string(measured) +
                            " comparisons with the unscaled weights show a loss smaller than " +
                            quoted(view.summary().options.margin);
  Claim claim;
  if (worse.empty()) {
    claim.tone = Tone::kGood;
    claim.headline = "No price is found " + inside + ".";
    claim.text = count + (held == measured ? "." : "; the others leave room for more.");
    return claim;
  }
  double largest = 0;
  for (const Comparison* c : worse) largest = std::max(largest, c->p_holm.value_or(1));
  claim.tone = Tone::kPrice;
  claim.headline = "The price " + inside + ":";
  claim.text = price_words(worse, 5) + " (Holm-adjusted " + p_words(largest) + "). " + count + ".";
  return claim;
}

namespace {

/// Failed gates of one variant and suite.
struct FailedGate {
  std::string variant, suite;
  double bar = 0;
  std::vector<std::string> seeds, values;

  /// "alibi on needle, seed 2 (0.40, bar 0.90)"
  std::string words() const {
    return variant + " on " + suite + (seeds.size() == 1 ? ", seed " : ", seeds ") + name_list(seeds) + " (" +
           join(values) + ", bar " + quoted(bar) + ")";
  }
};

std::vector<FailedGate> failed_gates(const Manifest& manifest, size_t& gates) {
  std::set<std::string> seen;  // scaled settings share their weights with others
  std::vector<FailedGate> failed;
  for (const auto& s : manifest.settings)
    for (const auto& t : s.trainings)
      for (const auto& g : t.gates) {
        if (!seen.insert(t.weights + "/" + g.suite).second) continue;
        ++gates;
        if (g.passed) continue;
        auto found = std::find_if(failed.begin(), failed.end(),
                                  [&](const auto& f) { return f.variant == s.variant && f.suite == g.suite; });
        if (found == failed.end()) found = failed.insert(failed.end(), {s.variant, g.suite, g.bar, {}, {}});
        found->seeds.push_back(std::to_string(s.seed));
        found->values.push_back(quoted(g.value));
      }
  return failed;
}

}  // namespace

std::optional<Claim> seeds_claim(const View& view) {
  size_t gates = 0, count = 0, fewest = SIZE_MAX;
  bool trained = false;
  for (const auto& v : view.variants()) {
    const SettingInfo& setting = view.setting(v);
    if (setting.trainings.empty() || setting.checkpoint) continue;  // no luck in loading
    fewest = std::min(fewest, view.settings(v).size());
    trained = true;
  }
  const std::string few = trained && fewest < 3 ? "With " + plural(int64_t(fewest), "seed") +
                                                      " a variant, differences between schemes may be luck of training."
                                                : "";
  std::vector<std::string> words;
  for (const auto& f : failed_gates(view.summary().manifest, gates)) {
    words.push_back(f.words());
    count += f.seeds.size();
  }
  if (count > 0)
    return Claim{Tone::kNote, std::to_string(count) + " of " + std::to_string(gates) + " gates failed.",
                 "Not learned inside the training length, and left out of every mean: " + join(words, "; ") + "." +
                     (few.empty() ? "" : " " + few)};
  if (few.empty()) return std::nullopt;
  return Claim{Tone::kNote, "Few seeds.", few};
}

}  // namespace lw
