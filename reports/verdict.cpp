#include "reports/verdict.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "harness/base/error.h"
#include "harness/base/numbers.h"
#include "reports/view.h"

namespace lw {
namespace {

using Tone = Claim::Tone;

constexpr size_t kMostSuites = 3;

std::string number(double value) { return format_fixed(value, 2); }

/// "0.44 [0.31, 0.57]"
std::string with_interval(const Pooled& p) {
  std::string text = number(*p.value);
  if (p.low) text += " [" + number(*p.low) + ", " + number(*p.high) + "]";
  return text;
}

std::vector<std::string> unscaled(const View& view) {
  std::vector<std::string> names;
  for (const auto& v : view.variants())
    if (!view.setting(v).scaled || view.baseline(v).empty()) names.push_back(v);
  return names;
}

/// Variants of equal reach.
struct ReachGroup {
  int64_t reached = 0;                     // 0: fails at the shortest
  std::string text;                        // "256 (8x), the longest tested"
  std::vector<std::string> variants;       // "learned (no position at 64)"
  const EffectiveLength* first = nullptr;  // of the first variant
};

/// Farthest first.
std::vector<ReachGroup> reach_groups(const View& view, const std::string& suite) {
  std::map<int64_t, ReachGroup, std::greater<>> by_reach;
  for (const auto& v : unscaled(view)) {
    const EffectiveLength* e = view.effective(v, suite);
    if (e == nullptr || e->seeds_learned == 0 || e->longest == 0) continue;
    ReachGroup& group = by_reach[e->point.value_or(0)];
    group.reached = e->point.value_or(0);
    group.text = format_grouped(e->point.value_or(e->shortest));
    if (group.reached > e->train_length && e->train_length > 0)
      group.text += " (" + multiple(group.reached, e->train_length) + ")";
    if (group.reached >= e->longest) group.text += ", the longest tested";
    if (group.first == nullptr) group.first = e;
    group.variants.push_back(v + (e->reason.starts_with("no position") ? " (" + e->reason + ")" : ""));
  }
  std::vector<ReachGroup> groups;
  for (const auto& [reached, group] : by_reach) groups.push_back(group);
  return groups;
}

/// The lowest of the variants at the longest length that gave numbers.
std::string lowest_at_end(const View& view, const std::string& suite, const std::string& metric) {
  const auto& lengths = view.lengths(suite);
  for (auto length = lengths.rbegin(); length != lengths.rend(); ++length) {
    const Pooled *low = nullptr, *high = nullptr;
    for (const auto& v : unscaled(view)) {
      const Pooled* p = view.at(v, suite, metric, *length);
      if (p == nullptr || !p->value) continue;
      if (low == nullptr || *p->value < *low->value) low = p;
      if (high == nullptr || *p->value > *high->value) high = p;
    }
    if (low == nullptr) continue;
    std::string text = "At " + format_grouped(*length) + " tokens: " + high->variant + " " + with_interval(*high);
    if (low != high) text += ", " + low->variant + " " + with_interval(*low);
    if (high->chance && *high->chance >= 0.005) text += "; chance " + number(*high->chance);
    return text + ".";
  }
  return "";
}

std::string verb(const std::vector<std::string>& names, const std::string& one, const std::string& many) {
  return names.size() == 1 ? one : many;
}

/// Who holds the bar how far on one suite.
std::optional<Claim> reach_claim(const View& view, const std::string& suite) {
  const auto groups = reach_groups(view, suite);
  if (groups.empty()) return std::nullopt;
  const EffectiveLength& e = *groups.front().first;
  Claim claim;
  const ReachGroup& best = groups.front();
  const std::string bar = number(e.bar);
  if (best.reached == 0) {
    claim.tone = Tone::kBad;
    claim.headline = suite + ": no scheme holds " + bar + ", not even at " + format_grouped(e.shortest) + " tokens.";
  } else {
    claim.tone = best.reached > e.train_length ? Tone::kGood : Tone::kBad;
    claim.headline = suite + ": " + name_list(best.variants) + verb(best.variants, " holds ", " hold ") + bar +
                     " up to length " + best.text + ".";
  }
  std::vector<std::string> rest;
  for (size_t i = 1; i < groups.size(); ++i)
    rest.push_back(name_list(groups[i].variants) + (groups[i].reached == 0 ? " not at " : " up to ") + groups[i].text);
  if (!rest.empty()) claim.text = join(rest, "; ") + ". ";
  claim.text += lowest_at_end(view, suite, e.metric);
  return claim;
}

/// Suites judged by likelihood: what the longest length costs against the longest trained one.
std::optional<Claim> loss_claim(const View& view, const std::string& suite) {
  const std::string metric = view.main_metric(suite);
  int64_t inside = 0, beyond = 0;
  for (const int64_t length : view.lengths(suite)) (length <= view.train_length() ? inside : beyond) = length;
  if (inside == 0 || beyond == 0) return std::nullopt;
  std::vector<std::pair<double, std::string>> rises;
  for (const auto& v : unscaled(view)) {
    const Pooled *near = view.at(v, suite, metric, inside), *far = view.at(v, suite, metric, beyond);
    if (near == nullptr || far == nullptr || !near->value || !far->value) continue;
    rises.emplace_back(*far->value - *near->value, v + " " + signed_number(*far->value - *near->value) + " (" +
                                                       number(*near->value) + " to " + number(*far->value) + ")");
  }
  if (rises.empty()) return std::nullopt;
  std::stable_sort(rises.begin(), rises.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  Claim claim;
  claim.tone = rises.front().first <= view.summary().options.margin ? Tone::kGood : Tone::kBad;
  claim.headline = suite + ": from " + format_grouped(inside) + " to " + format_grouped(beyond) + " tokens " +
                   metric_words(metric) + " changes by " + signed_number(rises.front().first) +
                   (rises.size() > 1 ? " to " + signed_number(rises.back().first) : "") + ".";
  claim.text = rises.front().second + (rises.size() > 1 ? "; " + rises.back().second : "") + ".";
  return claim;
}

/// "rope-linear-8 0.97 against 0.44 (+0.53 [+0.48, +0.58], p < 0.001)"
std::string comparison_words(const Comparison& c) {
  std::string text = c.variant + " " + number(*c.value) + " against " + number(*c.baseline_value) + " (" +
                     signed_number(*c.difference);
  if (c.low) text += " [" + signed_number(*c.low) + ", " + signed_number(*c.high) + "]";
  return text + (c.metric == "nll" ? " nats, " : ", ") + p_words(c.p_holm.value_or(*c.p)) + ")";
}

double gain(const Comparison& c) { return *c.difference * (c.metric == "nll" ? -1 : 1); }

/// The best scaled variant of a suite at the longest length at which scaling helps, or else at the longest at all.
const Comparison* best_scaling(const Summary& summary, const std::string& suite) {
  const Comparison* best = nullptr;
  const auto key = [](const Comparison& c) { return std::tuple(c.verdict == "better", *c.length, gain(c)); };
  for (const auto& c : summary.comparisons) {
    if (c.suite != suite || c.scope != "length" || c.in_length || !c.value) continue;
    if (best == nullptr || key(c) > key(*best)) best = &c;
  }
  return best;
}

/// What scaling buys beyond the training length.
std::optional<Claim> scaling_claim(const Summary& summary) {
  std::vector<std::string> helped, unhelped;
  for (const auto& suite : summary.manifest.suites) {
    const Comparison* best = best_scaling(summary, suite.name);
    if (best == nullptr) continue;
    const std::string words = suite.name + " at " + format_grouped(*best->length) + ": " + comparison_words(*best);
    (best->verdict == "better" ? helped : unhelped).push_back(words);
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

/// "copy, unscaled 0.84: rope-linear-8 -0.82 [-0.84, -0.79]; ..." of rows sorted by loss.
std::string price_words(const std::vector<const Comparison*>& worse, size_t most) {
  std::vector<std::pair<std::string, std::string>> by_suite;
  for (size_t i = 0; i < worse.size() && i < most; ++i) {
    const Comparison& c = *worse[i];
    const std::string head = c.suite + ", unscaled " + number(*c.baseline_value);
    auto found = std::find_if(by_suite.begin(), by_suite.end(), [&](const auto& x) { return x.first == head; });
    if (found == by_suite.end()) found = by_suite.insert(by_suite.end(), {head, ""});
    found->second += (found->second.empty() ? "" : ", ") + c.variant + " " + signed_number(*c.difference);
    if (c.low) found->second += " [" + signed_number(*c.low) + ", " + signed_number(*c.high) + "]";
  }
  std::vector<std::string> words;
  for (const auto& [head, list] : by_suite) words.push_back(head + ": " + list);
  return join(words, "; ") + (worse.size() > most ? "; and " + std::to_string(worse.size() - most) + " more" : "");
}

/// What scaling costs inside the training length.
std::optional<Claim> price_claim(const View& view) {
  std::vector<const Comparison*> worse;
  size_t measured = 0, held = 0;
  for (const auto& c : view.summary().comparisons) {
    if (c.scope != "short" || !c.value) continue;
    ++measured;
    if (c.verdict == "worse") worse.push_back(&c);
    held += c.verdict == "worse" || c.verdict == "undecided" ? 0 : 1;
  }
  if (measured == 0) return std::nullopt;
  std::stable_sort(worse.begin(), worse.end(), [](const auto* x, const auto* y) { return gain(*x) < gain(*y); });
  const std::string inside = "inside " + format_grouped(view.train_length()) + " tokens";
  const std::string count = std::to_string(held) + " of " + std::to_string(measured) +
                            " comparisons with the unscaled weights show a loss smaller than " +
                            number(view.summary().options.margin);
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

/// Seeds that did not learn, and runs of one seed: what limits every sentence above.
std::optional<Claim> seeds_claim(const View& view) {
  std::set<std::string> seen;  // scaled settings share their weights with others
  std::vector<std::string> failed;
  int64_t gates = 0;
  for (const auto& s : view.summary().manifest.settings)
    for (const auto& t : s.trainings)
      for (const auto& g : t.gates) {
        if (!seen.insert(t.weights + "/" + g.suite).second) continue;
        ++gates;
        if (!g.passed)
          failed.push_back(s.variant + " seed " + std::to_string(s.seed) + " on " + g.suite + " (" + number(g.value) +
                           ", bar " + number(g.bar) + ")");
      }
  size_t fewest = SIZE_MAX;
  bool trained = false;
  for (const auto& v : view.variants()) {
    fewest = std::min(fewest, view.settings(v).size());
    trained = trained || !view.setting(v).trainings.empty();
  }
  Claim claim;
  const std::string few = trained && fewest < 3
                              ? "With " + std::to_string(fewest) + (fewest == 1 ? " seed" : " seeds") +
                                    " a variant, differences between schemes may be luck of training."
                              : "";
  if (!failed.empty()) {
    claim.headline = std::to_string(failed.size()) + " of " + std::to_string(gates) + " gates failed.";
    claim.text = name_list(failed, 5) + " did not learn inside the training length and " + verb(failed, "is", "are") +
                 " left out of every mean." + (few.empty() ? "" : " " + few);
    return claim;
  }
  if (few.empty()) return std::nullopt;
  claim.headline = "Few seeds.";
  claim.text = few;
  return claim;
}

}  // namespace

std::string_view tone_name(Tone tone) {
  switch (tone) {
    case Tone::kGood:
      return "good";
    case Tone::kPrice:
      return "price";
    case Tone::kBad:
      return "bad";
    case Tone::kNote:
      return "note";
  }
  return "";
}

std::vector<Claim> derive_verdict(const Summary& summary) {
  const View view(summary);
  std::vector<Claim> claims;
  for (const auto& suite : summary.manifest.suites) {
    if (claims.size() == kMostSuites) break;
    const bool judged = view.main_metric(suite.name) == "accuracy";
    const auto claim = judged ? reach_claim(view, suite.name) : loss_claim(view, suite.name);
    if (claim) claims.push_back(*claim);
  }
  for (const auto& claim : {scaling_claim(summary), price_claim(view), seeds_claim(view)})
    if (claim) claims.push_back(*claim);
  if (claims.empty())
    claims.push_back({Tone::kNote, "Nothing to conclude.", "This run holds no score that a claim could rest on."});
  return claims;
}

}  // namespace lw
