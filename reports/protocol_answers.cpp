// What the models of a run answer: yes where every variant is shown to, in part where some are, no where none is and
// the probes suffice to tell.
#include <algorithm>
#include <array>

#include "harness/base/error.h"
#include "harness/base/numbers.h"
#include "harness/base/text.h"
#include "reports/pooled.h"
#include "reports/protocol_items.h"

namespace lw {
namespace {

using State = ProtocolItem::State;

const std::string kNone = "none in this run";

/// Variants and suites by their answer, each with the number that it rests on.
struct Answers {
  std::vector<std::string> yes, no, few;

  void add(Success success, const std::string& words) {
    if (success == Success::kShown) yes.push_back(words);
    if (success == Success::kNo) no.push_back(words);
    if (success == Success::kOpen) few.push_back(words);
  }

  ProtocolItem put_into(ProtocolItem item) const {
    const auto total = yes.size() + no.size() + few.size();
    if (total == 0) return item;
    item.state = yes.size() == total ? State::kYes
                 : !yes.empty()      ? State::kInPart
                 : !few.empty()      ? State::kTooFew
                                     : State::kNo;
    std::vector<std::string> parts;
    const auto part = [&](const char* answer, const std::vector<std::string>& of) {
      if (of.empty()) return;
      const size_t shown = std::min<size_t>(of.size(), 2);
      std::string words = join(std::vector<std::string>(of.begin(), of.begin() + ptrdiff_t(shown)), "; ");
      if (of.size() > shown) words += text("; and ", of.size() - shown, " more");
      parts.push_back(text(answer, " for ", of.size(), " of ", total, ": ", words));
    };
    part("yes", yes);
    part("no", no);
    part("too few probes", few);
    item.why = join(parts, ". ");
    return item;
  }
};

/// The part of the haystack that a depth lies in: 0 start, 1 middle, 2 end; -1 between them.
int place_of(double depth) {
  if (depth <= 0.15) return 0;
  if (depth >= 0.85) return 2;
  return depth >= 0.35 && depth <= 0.65 ? 1 : -1;
}

/// The worst of the numbers at the start, middle and end, on both sides of the training length. Each is held against
/// the best guess over all depths of its length: "the last value" is always right at the end, and nowhere else.
struct Places {
  std::array<std::array<bool, 3>, 2> seen{};
  Success success = Success::kShown;
  std::string words;

  void add(const Pooled& p, const Pooled& whole) {
    const int place = place_of(*p.depth);
    if (place < 0) return;
    seen[p.in_length ? 0 : 1][size_t(place)] = true;
    static const char* const kNames[] = {"start", "middle", "end"};
    const auto floor = floor_of(whole);
    const bool known = complete(p) && p.low && floor;
    const Success here = !known                                              ? Success::kOpen
                         : *p.low > floor->value                             ? Success::kShown
                         : *p.high < floor->value + 0.5 * (1 - floor->value) ? Success::kNo
                                                                             : Success::kOpen;
    const auto rank = [](Success s) { return s == Success::kShown ? 0 : s == Success::kOpen ? 1 : 2; };
    if (!words.empty() && rank(here) < rank(success)) return;
    success = here;
    words = text(kNames[place], " at ", format_grouped(p.length), known ? " " : "",
                 known ? format_fixed(*p.value, 2) + ", " + floor->words : "");
  }
  /// "beyond the training length"; "" when all six were asked.
  std::string lacking() const {
    const auto all = [](const auto& side) { return side[0] && side[1] && side[2]; };
    return !all(seen[0]) ? "inside the training length" : !all(seen[1]) ? "beyond the training length" : "";
  }
};

}  // namespace

ProtocolItem evidence_places(const View& view) {
  ProtocolItem item{"needle_depths", "evidence found at the start, middle and end", kNone, State::kNotAsked};
  Answers answers;
  std::string lacking;
  for (const auto& suite : view.summary().manifest.suites) {
    const Metric* main = view.main_metric(suite.name);
    const bool asks = std::find(suite.covers.begin(), suite.covers.end(), "retrieval") != suite.covers.end();
    if (!asks || suite.pairs || main == nullptr) continue;
    for (const auto& variant : view.variants()) {
      Places places;
      for (const auto& p : view.summary().pooled) {
        if (p.variant != variant || p.suite != suite.name || p.metric != main->name || !p.depth || p.n == 0) continue;
        if (const Pooled* whole = view.at(variant, suite.name, *main, p.length)) places.add(p, *whole);
      }
      if (places.words.empty()) continue;
      if (const std::string side = places.lacking(); !side.empty())
        lacking = suite.name + " lacks one of them " + side;
      else
        answers.add(places.success, variant + " on " + suite.name + " (lowest: " + places.words + ")");
    }
  }
  item = answers.put_into(item);
  if (item.state == State::kNotAsked && !lacking.empty()) item.why = lacking;
  return item;
}

ProtocolItem order_swap(const View& view) {
  ProtocolItem item{"order_swap", "same content, order swapped: the order is heard", kNone, State::kNotAsked};
  Answers answers;
  for (const auto& suite : view.summary().manifest.suites) {
    if (!suite.pairs) continue;
    item.why = suite.name + " has no complete pair inside the training length";
    for (const auto& variant : view.variants()) {
      const OrderHeard heard = order_heard(view, variant, suite.name);
      answers.add(heard.success, variant + " (" + heard.words + ")");
    }
  }
  return answers.put_into(item);
}

ProtocolItem short_again(const View& view) {
  ProtocolItem item{"short_again", "short lengths still work after an extension", "no extension in this run",
                    State::kNotAsked};
  Answers answers;
  std::vector<std::string> unasked;
  for (const auto& variant : view.variants()) {
    if (!view.setting(variant).scaled) continue;
    bool asked = false;
    for (const auto& c : view.summary().comparisons) {
      if (c.variant != variant || c.scope != Scope::kShort || !c.difference) continue;
      asked = true;
      const InLength before = in_length(view, c.baseline, c.suite);
      if (before.success != Success::kShown) {
        answers.add(before.success, text(variant, " on ", c.suite, " (unscaled ", before.words, ")"));
        continue;
      }
      const Finding& f = c.verdict == Verdict::kUndecided && c.on_weights ? *c.on_weights : c;
      const bool kept = f.verdict == Verdict::kHeld || f.verdict == Verdict::kBetter ||
                        f.verdict == Verdict::kSlightlyBetter || f.verdict == Verdict::kSlightlyWorse;
      const bool lost = f.verdict == Verdict::kWorse || f.verdict == Verdict::kAtChance;
      answers.add(kept   ? Success::kShown
                  : lost ? Success::kNo
                         : Success::kOpen,
                  text(variant, " on ", c.suite, " (", signed_number(*c.difference), ", ", verdict_words(f.verdict),
                       &f == &c ? ")" : " on these weights)"));
    }
    if (!asked) unasked.push_back(variant);
  }
  if (!unasked.empty()) item.why = "not measured for " + name_list(unasked, 4);
  if (!unasked.empty()) return item;
  return answers.put_into(item);
}

ProtocolItem aspect(const View& view, const std::string& key, const std::string& text) {
  ProtocolItem item{key, text, kNone, State::kNotAsked};
  Answers answers;
  for (const auto& suite : view.summary().manifest.suites) {
    if (std::find(suite.covers.begin(), suite.covers.end(), key) == suite.covers.end()) continue;
    item.why = suite.name + " has no score inside the training length";
    for (const auto& variant : view.variants()) {
      const InLength inside = in_length(view, variant, suite.name);
      answers.add(inside.success, variant + " on " + suite.name + " (" + inside.words + ")");
    }
  }
  return answers.put_into(item);
}

}  // namespace lw
