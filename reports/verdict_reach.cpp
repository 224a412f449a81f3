// How far schemes reach: what is proven, then the point estimate and what is not refuted.
#include <algorithm>
#include <map>

#include "harness/base/error.h"
#include "harness/base/text.h"
#include "reports/pooled.h"
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

/// Variants of equal reach.
struct ReachGroup {
  int64_t reached = 0;                     // 0: fails at the shortest
  std::string text;                        // "256 (8x), the longest tested"
  std::vector<std::string> variants;       // "learned (no position at 64)"
  const EffectiveLength* first = nullptr;  // of the first variant
  bool beyond = false;                     // some variant reaches beyond its training length
};

/// " (8x)"; "" up to the training length.
std::string beyond_words(const EffectiveLength& e) {
  const int64_t reached = e.claimed.value_or(0);
  return e.train_length > 0 && reached > e.train_length ? " (" + multiple(reached, e.train_length) + ")" : "";
}

/// Farthest first, by what is proven for all of them at once. Where training lengths differ, each variant has its own
/// multiple.
std::vector<ReachGroup> reach_groups(const std::vector<const EffectiveLength*>& variants) {
  const bool one_length = std::all_of(variants.begin(), variants.end(), [&](const EffectiveLength* e) {
    return e->train_length == variants.front()->train_length;
  });
  std::map<int64_t, ReachGroup, std::greater<>> by_reach;
  for (const EffectiveLength* e : variants) {
    ReachGroup& group = by_reach[e->claimed.value_or(0)];
    group.reached = e->claimed.value_or(0);
    group.text = format_grouped(e->claimed.value_or(e->shortest)) + (one_length ? beyond_words(*e) : "");
    if (group.reached >= e->longest && e->reason.empty()) group.text += ", the longest tested";
    if (group.first == nullptr) group.first = e;
    group.beyond = group.beyond || group.reached > e->train_length;
    group.variants.push_back(e->variant + (one_length ? "" : beyond_words(*e)) +
                             (e->reason.empty() ? "" : " (" + e->reason + ")"));
  }
  std::vector<ReachGroup> groups;
  for (const auto& [reached, group] : by_reach) groups.push_back(group);
  return groups;
}

/// The lowest and highest of the variants at the longest length that gave whole numbers.
std::string lowest_at_end(const View& view, const std::string& suite, const Metric& metric) {
  const auto& lengths = view.lengths(suite);
  for (auto length = lengths.rbegin(); length != lengths.rend(); ++length) {
    const Pooled *low = nullptr, *high = nullptr;
    for (const auto& v : unscaled_variants(view)) {
      const Pooled* p = view.at(v, suite, metric, *length);
      if (p == nullptr || !complete(*p)) continue;
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

/// The variants of a suite by what they show inside the training length.
struct Sorted {
  std::vector<const EffectiveLength*> shown;
  std::vector<std::string> failed, open, unasked;  // with the number that it rests on

  /// What is said of those that no claim is made of.
  std::string others() const {
    std::string words;
    if (!failed.empty()) words += " At chance inside the training length: " + join(failed, "; ") + ".";
    if (!open.empty()) words += " Not shown to succeed inside the training length: " + join(open, "; ") + ".";
    if (!unasked.empty()) words += " Not tested inside the training length: " + name_list(unasked) + ".";
    return words;
  }
};

Sorted sort_variants(const View& view, const std::string& suite) {
  Sorted sorted;
  for (const auto& v : unscaled_variants(view)) {
    const EffectiveLength* e = view.effective(v, suite);
    if (e == nullptr || e->seeds_learned == 0 || e->longest == 0) continue;
    const InLength inside = in_length(view, v, suite);
    std::string words = v + " (" + inside.words;
    if (const OrderHeard order = order_heard(view, v, suite); order.success == Success::kNo)
      words += "; position-blind: " + order.words;
    words += ")";
    if (inside.success == Success::kShown)
      sorted.shown.push_back(e);
    else if (inside.success == Success::kNotAsked)
      sorted.unasked.push_back(v);
    else
      (inside.success == Success::kNo ? sorted.failed : sorted.open).push_back(words);
  }
  return sorted;
}

/// No variant is shown to succeed inside the training length.
Claim unfounded_claim(const std::string& suite, const Sorted& sorted) {
  Claim claim;
  if (!sorted.failed.empty() && sorted.open.empty() && sorted.unasked.empty()) {
    claim.tone = Tone::kBad;
    claim.headline = suite + ": at chance inside the training length, so nothing is said of longer ones.";
  } else {
    claim.headline = suite + ": no success is shown inside the training length, so nothing is said of longer ones.";
  }
  claim.text = sorted.others().substr(1);
  return claim;
}

/// "By the point estimate alibi 128; not refuted to: alibi 256."
std::string estimates(const std::vector<const EffectiveLength*>& variants) {
  std::vector<std::string> point, open;
  for (const EffectiveLength* e : variants) {
    point.push_back(e->variant + " " + e->text(e->point));
    open.push_back(e->variant + " " + e->text(e->not_refuted));
  }
  return " Point estimate: " + join(point) + ". Not refuted to: " + join(open) + ".";
}

/// How a reach was proven: "The lower bound of every seed, corrected for 4 variants."
std::string proof_words(const EffectiveLength& e) {
  return text("Proven by the lower bound of ", e.seeds_learned == 1 ? "the one seed" : "every seed",
              e.family == 1 ? "" : text(", corrected for ", e.family, " variants"), ".");
}

Claim held_claim(const std::string& suite, const std::vector<ReachGroup>& groups,
                 const std::vector<const EffectiveLength*>& shown) {
  const ReachGroup& best = groups.front();
  const EffectiveLength& e = *best.first;
  const bool refuted = std::none_of(shown.begin(), shown.end(), [](const EffectiveLength* other) {
    return other->not_refuted.value_or(0) > other->train_length;
  });
  Claim claim;
  claim.tone = best.beyond ? Tone::kGood : refuted ? Tone::kBad : Tone::kNote;
  claim.headline = suite + ": " + name_list(best.variants) + (best.variants.size() == 1 ? " holds " : " hold ") +
                   quoted(e.bar) + " up to length " + best.text + ".";
  std::vector<std::string> rest;
  for (size_t i = 1; i < groups.size(); ++i)
    rest.push_back(name_list(groups[i].variants) + (groups[i].reached == 0 ? " not even at " : " up to ") +
                   groups[i].text);
  claim.text = proof_words(e) + (rest.empty() ? "" : " Proven of the others: " + join(rest, "; ") + ".");
  return claim;
}

/// Nothing is proven, not even at the shortest length.
Claim unproven_claim(const std::string& suite, const std::vector<const EffectiveLength*>& shown) {
  const EffectiveLength& e = *shown.front();
  const int64_t needed = probes_needed(e.bar, e.family);
  const bool few = std::all_of(shown.begin(), shown.end(), [&](const auto* other) { return other->fewest < needed; });
  const bool refuted = std::none_of(shown.begin(), shown.end(), [](const auto* other) { return other->not_refuted; });
  Claim claim;
  if (refuted) {
    claim.tone = Tone::kBad;
    claim.headline =
        suite + ": no scheme holds " + quoted(e.bar) + ", not even at " + format_grouped(e.shortest) + " tokens.";
  } else if (few) {
    claim.headline = suite + ": too few probes to tell how far " + quoted(e.bar) + " is held.";
    claim.text = text("Even all right would not prove it: ", e.fewest, " independent probes a length and seed, ",
                      needed, " are needed.");
  } else {
    claim.headline = suite + ": whether any scheme holds " + quoted(e.bar) + " at " + format_grouped(e.shortest) +
                     " tokens is undecided.";
  }
  return claim;
}

}  // namespace

std::vector<std::string> unscaled_variants(const View& view) {
  std::vector<std::string> names;
  for (const auto& v : view.variants())
    if (!view.setting(v).scaled || view.baseline(v).empty()) names.push_back(v);
  return names;
}

std::optional<Claim> reach_claim(const View& view, const std::string& suite) {
  const Sorted sorted = sort_variants(view, suite);
  if (sorted.shown.empty()) {
    if (sorted.others().empty()) return std::nullopt;
    return unfounded_claim(suite, sorted);
  }
  const auto groups = reach_groups(sorted.shown);
  Claim claim =
      groups.front().reached > 0 ? held_claim(suite, groups, sorted.shown) : unproven_claim(suite, sorted.shown);
  claim.text += (claim.text.empty() ? "" : " ") + estimates(sorted.shown).substr(1) + sorted.others() + " " +
                lowest_at_end(view, suite, metric(sorted.shown.front()->metric));
  return claim;
}

}  // namespace lw
