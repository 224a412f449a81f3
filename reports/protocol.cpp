// What a run records, and the list of all items.
#include "reports/protocol.h"

#include <algorithm>
#include <map>
#include <set>

#include "harness/base/error.h"
#include "harness/base/numbers.h"
#include "harness/base/text.h"
#include "reports/pooled.h"
#include "reports/protocol_items.h"

namespace lw {
namespace {

using State = ProtocolItem::State;

/// "query and key"; "" without a card.
std::string entry_of(const SettingInfo& setting) {
  if (!setting.card) return "";
  return setting.card->applies_to.empty() ? "nowhere" : name_list(setting.card->applies_to);
}

/// Whether the fewest probes among numbers could prove the bar; losses: whether there is an interval at all.
bool enough(const View& view, const Pooled& p) {
  if (!complete(p)) return false;
  return metric(p.metric).share() ? p.n >= probes_needed(view.summary().options.bar) : p.low.has_value();
}

}  // namespace

ProtocolItem position_entry(const View& view) {
  ProtocolItem item{"position_entry", "where position enters is recorded", "", State::kYes};
  const auto& settings = view.summary().manifest.settings;
  std::vector<std::string> missing, words;
  std::vector<std::pair<std::string, std::vector<std::string>>> by_entry;
  for (const auto& s : settings) {
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
  if (!missing.empty() || settings.empty()) {
    item.state = State::kNo;
    item.why = missing.empty() ? "no settings" : "no position card for " + name_list(missing, 4);
    return item;
  }
  for (const auto& [entry, schemes] : by_entry) words.push_back(name_list(schemes) + ": " + entry);
  item.why = join(words, "; ");
  return item;
}

ProtocolItem lengths_recorded(const View& view) {
  ProtocolItem item{"lengths_recorded", "training length and tested lengths recorded", "", State::kYes};
  std::set<int64_t> trained;
  std::vector<std::string> unknown;
  for (const auto& s : view.summary().manifest.settings) {
    if (s.train_length <= 0) unknown.push_back(s.id);
    trained.insert(s.train_length);
  }
  if (!unknown.empty() || trained.empty() || view.longest() == 0) {
    item.state = State::kNo;
    item.why = view.longest() == 0 ? "no length was tested" : "training length unknown for " + name_list(unknown, 4);
    return item;
  }
  std::vector<std::string> words;
  for (const int64_t length : trained) words.push_back(format_grouped(length));
  item.why = "trained to " + join(words, ", ") + " tokens, evaluated to " + format_grouped(view.longest()) + " (" +
             multiple(view.longest(), *trained.rbegin()) + ")";
  return item;
}

ProtocolItem in_and_out_apart(const View& view) {
  ProtocolItem item{"in_out_apart", "lengths inside and beyond training kept apart", "", State::kYes};
  std::vector<std::string> sides, one_sided, few;
  for (const auto& suite : view.summary().manifest.suites) {
    const Metric* main = view.main_metric(suite.name);
    std::set<int64_t> inside, beyond, thin;
    for (const auto& p : view.summary().pooled) {
      if (main == nullptr || p.suite != suite.name || p.metric != main->name || !p.value) continue;
      if (p.distance || p.depth || p.offset) continue;
      (p.in_length ? inside : beyond).insert(p.length);
      if (!enough(view, p)) thin.insert(p.length);
    }
    sides.push_back(text(suite.name, ": ", inside.size(), " inside, ", beyond.size(), " beyond"));
    if (inside.empty() || beyond.empty())
      one_sided.push_back(suite.name + " has no score " +
                          (!inside.empty()   ? "beyond it"
                           : !beyond.empty() ? "inside it"
                                             : "at all"));
    else if (!thin.empty())
      few.push_back(text(suite.name, " at ", format_grouped(*thin.begin())));
  }
  if (!one_sided.empty() || sides.empty())
    item.state = State::kNo, item.why = sides.empty() ? "no suite" : join(one_sided, "; ");
  else if (!few.empty())
    item.state = State::kTooFew, item.why = "too few probes or probes without a score: " + join(few, "; ");
  else
    item.why = "lengths of " + join(sides, "; ");
  return item;
}

ProtocolItem broken_down(const View& view) {
  ProtocolItem item{"by_distance", "results by distance and position, not one mean", "", State::kYes};
  std::vector<std::string> whole, parts, few;
  for (const auto& suite : view.summary().manifest.suites) {
    std::map<std::string, std::set<double>> kinds;
    int64_t fewest = 0;
    for (const auto& p : view.summary().pooled) {
      if (p.suite != suite.name || !p.value || !(p.distance || p.depth || p.offset)) continue;
      if (p.distance) kinds["distances"].insert(double(p.distance->low));
      if (p.depth) kinds["depths"].insert(*p.depth);
      if (p.offset) kinds["positions"].insert(double(p.offset->low));
      fewest = fewest == 0 ? p.n : std::min(fewest, p.n);
    }
    std::vector<std::string> by;
    for (const auto& [kind, values] : kinds)
      if (values.size() > 1) by.push_back(text(values.size(), " ", kind));
    if (by.empty())
      whole.push_back(suite.name);
    else
      (fewest < 2 ? few : parts).push_back(text(suite.name, ": ", join(by), ", at least ", fewest, " values each"));
  }
  if (!whole.empty() || (parts.empty() && few.empty()))
    item.state = State::kNo, item.why = "one mean only: " + name_list(whole);
  else if (!few.empty())
    item.state = State::kTooFew, item.why = join(few, "; ");
  else
    item.why = join(parts, "; ");
  return item;
}

ProtocolItem full_setting(const View& view) {
  ProtocolItem item{"full_setting", "full position setting recorded", "", State::kYes};
  const auto& settings = view.summary().manifest.settings;
  std::vector<std::string> missing;
  for (const auto& s : settings)
    if (s.position_yaml.empty()) missing.push_back(s.id);
  if (!missing.empty() || settings.empty()) {
    item.state = State::kNo;
    item.why = missing.empty() ? "no settings" : "not for " + name_list(missing, 4);
    return item;
  }
  item.why = std::to_string(settings.size()) + " settings, defaults written out";
  return item;
}

std::string_view state_name(State state) {
  switch (state) {
    case State::kYes:
      return "yes";
    case State::kInPart:
      return "in_part";
    case State::kNo:
      return "no";
    case State::kTooFew:
      return "too_few";
    case State::kNotAsked:
      return "not_asked";
  }
  return "";
}

std::vector<ProtocolItem> check_protocol(const View& view) {
  return {position_entry(view),
          lengths_recorded(view),
          in_and_out_apart(view),
          broken_down(view),
          evidence_places(view),
          order_swap(view),
          short_again(view),
          full_setting(view),
          aspect(view, "grammar", "near-distance grammar"),
          aspect(view, "binding", "long-range binding"),
          aspect(view, "generation", "generation quality")};
}

}  // namespace lw
