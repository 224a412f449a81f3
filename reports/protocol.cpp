#include "reports/protocol.h"

#include <algorithm>
#include <map>
#include <set>

#include "harness/base/error.h"
#include "harness/base/numbers.h"
#include "harness/base/text.h"
#include "reports/view.h"

namespace lw {
namespace {

using State = ProtocolItem::State;

const std::string kNone = "none in this run";

/// What the protocol is checked against, in one place.
struct Evidence {
  const Manifest& manifest;
  const RecordIndex& index;
  const std::vector<Cell>& cells;
  const std::vector<Comparison>& comparisons;

  /// Calls use(cell) for every cell with a value.
  void each(const auto& use) const {
    for (const auto& c : cells)
      if (c.value) use(c);
  }
};

/// "query and key"; "" without a card.
std::string entry_of(const SettingInfo& setting) {
  if (!setting.card) return "";
  return setting.card->applies_to.empty() ? "nowhere" : name_list(setting.card->applies_to);
}

ProtocolItem position_entry(const Evidence& e) {
  ProtocolItem item{"position_entry", "where position enters is recorded", "", State::kMet};
  std::vector<std::string> missing, words;
  std::vector<std::pair<std::string, std::vector<std::string>>> by_entry;
  for (const auto& s : e.manifest.settings) {
    const std::string entry = entry_of(s);
    if (entry.empty()) {
      missing.push_back(s.id);
      continue;
    }
    auto found = std::find_if(by_entry.begin(), by_entry.end(), [&](const auto& x) { return x.first == entry; });
    if (found == by_entry.end()) found = by_entry.insert(by_entry.end(), {entry, {}});
    auto& schemes = found->second;
    if (std::find(schemes.begin(), schemes.end(), s.scheme) == schemes.end()) schemes.push_back(s.scheme);
  }
  if (!missing.empty() || e.manifest.settings.empty()) {
    item.state = State::kMissed;
    item.why = missing.empty() ? "no settings" : "no position card for " + name_list(missing, 4);
    return item;
  }
  for (const auto& [entry, schemes] : by_entry) words.push_back(name_list(schemes) + ": " + entry);
  item.why = join(words, "; ");
  return item;
}

ProtocolItem lengths_recorded(const Evidence& e) {
  ProtocolItem item{"lengths_recorded", "training length and target lengths recorded", "", State::kMet};
  std::set<int64_t> trained;
  std::vector<std::string> unknown;
  for (const auto& s : e.manifest.settings) {
    if (s.train_length <= 0) unknown.push_back(s.id);
    trained.insert(s.train_length);
  }
  int64_t longest = 0;
  for (size_t suite = 0; suite < e.manifest.suites.size(); ++suite)
    for (const int64_t length : e.index.lengths(suite)) longest = std::max(longest, length);
  if (!unknown.empty() || trained.empty() || longest == 0) {
    item.state = State::kMissed;
    item.why = longest == 0 ? "no length was tested" : "training length unknown for " + name_list(unknown, 4);
    return item;
  }
  std::vector<std::string> words;
  for (const int64_t length : trained) words.push_back(format_grouped(length));
  item.why = "trained to " + join(words, ", ") + " tokens, evaluated to " + format_grouped(longest) + " (" +
             multiple(longest, *trained.rbegin()) + ")";
  return item;
}

ProtocolItem in_and_out_apart(const Evidence& e) {
  ProtocolItem item{"in_out_apart", "lengths inside and beyond training kept apart", "", State::kMet};
  std::map<std::string, std::pair<bool, bool>> sides;
  e.each([&](const Cell& c) { (c.in_length ? sides[c.suite].first : sides[c.suite].second) = true; });
  std::vector<std::string> one_sided;
  for (const auto& suite : e.manifest.suites) {
    const auto [inside, beyond] = sides[suite.name];
    if (!inside || !beyond)
      one_sided.push_back(suite.name + " has no score " + (inside ? "beyond it" : beyond ? "inside it" : "at all"));
  }
  if (!one_sided.empty() || sides.empty()) {
    item.state = State::kMissed;
    item.why = one_sided.empty() ? "no suite" : join(one_sided, "; ");
    return item;
  }
  item.why = "every suite has both; no number is an average over both";
  return item;
}

ProtocolItem broken_down(const Evidence& e) {
  ProtocolItem item{"by_distance", "results by distance and position, not one mean", "", State::kMet};
  std::map<std::string, std::set<std::string>> kinds;
  std::map<std::string, std::set<Bin>> distances, offsets;
  std::map<std::string, std::set<double>> depths;
  e.each([&](const Cell& c) {
    if (c.distance) distances[c.suite].insert(*c.distance);
    if (c.offset) offsets[c.suite].insert(*c.offset);
    if (c.depth) depths[c.suite].insert(*c.depth);
  });
  std::vector<std::string> whole, parts;
  for (const auto& suite : e.manifest.suites) {
    std::vector<std::string> by;
    const auto note = [&](size_t count, const std::string& what) {
      if (count > 1) by.push_back(std::to_string(count) + " " + what);
    };
    note(distances[suite.name].size(), "distances");
    note(depths[suite.name].size(), "depths");
    note(offsets[suite.name].size(), "positions");
    if (by.empty())
      whole.push_back(suite.name);
    else
      parts.push_back(suite.name + ": " + join(by));
  }
  if (parts.empty() || !whole.empty()) item.state = State::kMissed;
  item.why = whole.empty() && !parts.empty() ? join(parts, "; ") : "one mean only: " + name_list(whole);
  return item;
}

ProtocolItem needle_depths(const Evidence& e) {
  ProtocolItem item{"needle_depths", "evidence at the start, middle and end", "", State::kAbsent};
  item.why = kNone;
  for (size_t suite = 0; suite < e.manifest.suites.size(); ++suite) {
    std::set<std::string> inside, beyond;
    bool any = false;
    for (size_t setting = 0; setting < e.manifest.settings.size(); ++setting)
      for (const Record* r : e.index.of(setting, suite)) {
        if (!r->depth) continue;
        any = true;
        if (r->status != Status::kScored) continue;
        const double depth = *r->depth;
        const std::string part = depth <= 0.15                    ? "start"
                                 : depth >= 0.85                  ? "end"
                                 : depth >= 0.35 && depth <= 0.65 ? "middle"
                                                                  : "";
        if (!part.empty()) (r->in_length ? inside : beyond).insert(part);
      }
    if (!any) continue;
    if (inside.size() == 3 && beyond.size() == 3) {
      item.state = State::kMet;
      item.why = e.manifest.suites[suite].name + ", inside and beyond the training length";
      return item;
    }
    item.state = State::kMissed;
    item.why = e.manifest.suites[suite].name + " lacks one of them " +
               (inside.size() < 3 ? "inside the training length" : "beyond the training length");
  }
  return item;
}

ProtocolItem order_swap(const Evidence& e) {
  ProtocolItem item{"order_swap", "same content, order swapped", kNone, State::kAbsent};
  std::set<std::string> scored;
  e.each([&](const Cell& c) {
    if (metric(c.metric).shown == Shown::kPairs && c.n > 0) scored.insert(c.suite);
  });
  for (const auto& suite : e.manifest.suites) {
    if (!suite.pairs) continue;
    const bool met = scored.contains(suite.name);
    item.state = met ? State::kMet : State::kMissed;
    item.why = suite.name + (met ? ", scored by the pair" : " has no complete pair");
    if (met) break;
  }
  return item;
}

ProtocolItem short_again(const Evidence& e) {
  ProtocolItem item{"short_again", "short lengths measured again after an extension", "", State::kAbsent};
  item.why = "no extension in this run";
  std::vector<std::string> missing;
  std::set<std::string> measured;
  for (const auto& s : e.manifest.settings) {
    if (!s.scaled || measured.contains(s.variant)) continue;
    const bool done = std::any_of(e.comparisons.begin(), e.comparisons.end(), [&](const Comparison& c) {
      return c.variant == s.variant && c.scope == Scope::kShort && c.n > 0;
    });
    if (done)
      measured.insert(s.variant);
    else if (std::find(missing.begin(), missing.end(), s.variant) == missing.end())
      missing.push_back(s.variant);
  }
  if (missing.empty() && measured.empty()) return item;
  item.state = missing.empty() ? State::kMet : State::kMissed;
  item.why = missing.empty() ? plural(int64_t(measured.size()), "scaled variant") + " paired with the unscaled one"
                             : "not for " + name_list(missing, 4);
  return item;
}

ProtocolItem full_setting(const Evidence& e) {
  ProtocolItem item{"full_setting", "full position setting recorded", "", State::kMet};
  std::vector<std::string> missing;
  for (const auto& s : e.manifest.settings)
    if (s.position_yaml.empty()) missing.push_back(s.id);
  if (!missing.empty() || e.manifest.settings.empty()) {
    item.state = State::kMissed;
    item.why = missing.empty() ? "no settings" : "not for " + name_list(missing, 4);
    return item;
  }
  item.why = std::to_string(e.manifest.settings.size()) + " settings, defaults written out";
  return item;
}

ProtocolItem aspect(const Evidence& e, const std::string& key, const std::string& text) {
  ProtocolItem item{key, text, kNone, State::kAbsent};
  std::vector<std::string> measured;
  for (const auto& suite : e.manifest.suites) {
    if (std::find(suite.covers.begin(), suite.covers.end(), key) == suite.covers.end()) continue;
    item.state = State::kMissed;
    item.why = suite.name + " has no score";
    const bool scored =
        std::any_of(e.cells.begin(), e.cells.end(), [&](const Cell& c) { return c.suite == suite.name && c.value; });
    if (scored) measured.push_back(suite.name);
  }
  if (measured.empty()) return item;
  item.state = State::kMet;
  item.why = name_list(measured);
  return item;
}

}  // namespace

std::string_view state_name(State state) {
  switch (state) {
    case State::kMet:
      return "met";
    case State::kMissed:
      return "missed";
    case State::kAbsent:
      return "absent";
  }
  return "";
}

std::vector<ProtocolItem> check_protocol(const Manifest& manifest, const RecordIndex& index,
                                         const std::vector<Cell>& cells, const std::vector<Comparison>& comparisons) {
  const Evidence e{manifest, index, cells, comparisons};
  return {position_entry(e),
          lengths_recorded(e),
          in_and_out_apart(e),
          broken_down(e),
          needle_depths(e),
          order_swap(e),
          short_again(e),
          full_setting(e),
          aspect(e, "grammar", "near-distance grammar"),
          aspect(e, "binding", "long-range binding"),
          aspect(e, "generation", "generation quality")};
}

}  // namespace lw
