// How far schemes reach, and what length costs them in likelihood.
#include <algorithm>
#include <map>

#include "harness/base/error.h"
#include "reports/verdict_claims.h"

namespace lw {
namespace {

using Tone = Claim::Tone;

/// "0.44 [0.31, 0.57]"
std::string with_interval(const Pooled& p) {
  std::string text = quoted(*p.value);
  if (p.low) text += " [" + quoted(*p.low) + ", " + quoted(*p.high) + "]";
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
std::string lowest_at_end(const View& view, const std::string& suite, const Metric& metric) {
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
    if (high->chance && *high->chance >= 0.005) text += "; chance " + share_words(*high->chance);
    return text + ".";
  }
  return "";
}

std::string verb(const std::vector<std::string>& names, const std::string& one, const std::string& many) {
  return names.size() == 1 ? one : many;
}

}  // namespace

std::optional<Claim> reach_claim(const View& view, const std::string& suite) {
  const auto groups = reach_groups(view, suite);
  if (groups.empty()) return std::nullopt;
  const EffectiveLength& e = *groups.front().first;
  Claim claim;
  const ReachGroup& best = groups.front();
  const std::string bar = quoted(e.bar);
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
    rest.push_back(name_list(groups[i].variants) + (groups[i].reached == 0 ? " not even at " : " up to ") +
                   groups[i].text);
  if (!rest.empty()) claim.text = join(rest, "; ") + ". ";
  claim.text += lowest_at_end(view, suite, metric(e.metric));
  return claim;
}

std::optional<Claim> loss_claim(const View& view, const std::string& suite) {
  const Metric* metric = view.main_metric(suite);
  if (metric == nullptr) return std::nullopt;
  int64_t inside = 0, beyond = 0;
  for (const int64_t length : view.lengths(suite)) (length <= view.train_length() ? inside : beyond) = length;
  if (inside == 0 || beyond == 0) return std::nullopt;
  std::vector<std::pair<double, std::string>> rises;
  for (const auto& v : unscaled(view)) {
    const Pooled *near = view.at(v, suite, *metric, inside), *far = view.at(v, suite, *metric, beyond);
    if (near == nullptr || far == nullptr || !near->value || !far->value) continue;
    rises.emplace_back(*far->value - *near->value, v + " " + signed_number(*far->value - *near->value) + " (" +
                                                       quoted(*near->value) + " to " + quoted(*far->value) + ")");
  }
  if (rises.empty()) return std::nullopt;
  std::stable_sort(rises.begin(), rises.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  Claim claim;
  claim.tone = rises.front().first <= view.summary().options.margin ? Tone::kGood : Tone::kBad;
  claim.headline = suite + ": from " + format_grouped(inside) + " to " + format_grouped(beyond) + " tokens " +
                   metric->title() + " changes by " + signed_number(rises.front().first) +
                   (rises.size() > 1 ? " to " + signed_number(rises.back().first) : "") + ".";
  claim.text = rises.front().second + (rises.size() > 1 ? "; " + rises.back().second : "") + ".";
  return claim;
}

}  // namespace lw
