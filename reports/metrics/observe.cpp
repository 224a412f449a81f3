#include "reports/metrics/observe.h"

#include <algorithm>
#include <map>

namespace lw {
namespace {

int64_t scored_targets(const Record& r) {
  return std::count_if(r.targets.begin(), r.targets.end(), [](const TargetScore& t) { return t.correct.has_value(); });
}

/// Nats over all targets of a probe; a record without target detail counts as one target.
void add_nll(Observation& o, const Record& r) {
  for (const auto& t : r.targets) {
    if (t.early) continue;
    o.nll_sum += t.nll;
    o.nll_count += 1;
  }
  if (r.targets.empty() && r.nll) {
    o.nll_sum += *r.nll;
    o.nll_count += 1;
  }
}

}  // namespace

Observation of_record(const Record& r, double value) {
  Observation o;
  o.value = value;
  o.cluster = r.group;
  o.distance = r.distance;
  if (!o.distance && r.targets.size() == 1) o.distance = r.targets.front().distance;
  o.depth = r.depth;
  o.record = &r;
  o.chance_power = static_cast<double>(std::max<int64_t>(1, scored_targets(r)));
  add_nll(o, r);
  return o;
}

Observation of_target(const Record& r, const TargetScore& t, double value) {
  Observation o;
  o.value = value;
  // Targets of one probe are not independent; probes of one document are not either.
  o.cluster = r.group.empty() ? std::string_view(r.id) : std::string_view(r.group);
  o.distance = t.distance ? t.distance : r.distance;
  o.depth = t.depth ? t.depth : r.depth;
  o.offset = t.offset;
  o.early = t.early;
  o.record = &r;
  o.nll_sum = t.nll;
  o.nll_count = 1;
  return o;
}

std::vector<Observation> observe_answers(std::span<const Record* const> records, std::optional<bool> Record::*answer) {
  std::vector<Observation> result;
  for (const Record* r : records)
    if (r->*answer) result.push_back(of_record(*r, *(r->*answer) ? 1 : 0));
  return result;
}

std::vector<Observation> observe_pairs(
    std::span<const Record* const> records,
    const std::function<std::optional<double>(const Record& first, const Record& second)>& value) {
  std::map<std::string_view, std::vector<const Record*>> groups;
  std::vector<std::string_view> order;
  for (const Record* r : records) {
    if (r->group.empty() || !r->correct) continue;
    auto& group = groups[r->group];
    if (group.empty()) order.push_back(r->group);
    group.push_back(r);
  }
  std::vector<Observation> result;
  for (const auto name : order) {
    const auto& group = groups[name];
    if (group.size() != 2) continue;
    const auto found = value(*group[0], *group[1]);
    if (!found) continue;
    Observation o = of_record(*group[0], *found);
    add_nll(o, *group[1]);
    o.partner = group[1];
    o.cluster = {};
    o.chance_power *= 2;
    if (group[0]->distance != group[1]->distance) o.distance.reset();
    if (group[0]->depth != group[1]->depth) o.depth.reset();
    result.push_back(o);
  }
  return result;
}

}  // namespace lw
