#include "reports/observations.h"

#include <algorithm>
#include <array>
#include <map>

#include "harness/base/error.h"

namespace lw {
namespace {

int64_t judged(const Record& r) {
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

Observation of_record(const Record& r, double value) {
  Observation o;
  o.value = value;
  o.cluster = r.group;
  o.distance = r.distance;
  if (!o.distance && r.targets.size() == 1) o.distance = r.targets.front().distance;
  o.depth = r.depth;
  o.record = &r;
  o.chance_power = static_cast<double>(std::max<int64_t>(1, judged(r)));
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

template <std::optional<bool> Record::*answer>
std::vector<Observation> observe_answers(std::span<const Record* const> records) {
  std::vector<Observation> result;
  for (const Record* r : records)
    if (r->*answer) result.push_back(of_record(*r, *(r->*answer) ? 1 : 0));
  return result;
}

std::vector<Observation> observe_targets(std::span<const Record* const> records) {
  std::vector<Observation> result;
  for (const Record* r : records)
    for (const auto& t : r->targets)
      if (t.correct) result.push_back(of_target(*r, t, *t.correct ? 1 : 0));
  return result;
}

/// Calls make(first, second) for every complete pair, ordered by the first one's place.
template <class Make>
std::vector<Observation> observe_pairs(std::span<const Record* const> records, const Make& make) {
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
    const auto value = make(*group[0], *group[1]);
    if (!value) continue;
    Observation o = of_record(*group[0], *value);
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

std::vector<Observation> observe_both_right(std::span<const Record* const> records) {
  return observe_pairs(records, [](const Record& x, const Record& y) -> std::optional<double> {
    return *x.correct && *y.correct ? 1 : 0;
  });
}

std::vector<Observation> observe_blind(std::span<const Record* const> records) {
  return observe_pairs(records, [](const Record& x, const Record& y) -> std::optional<double> {
    if (x.gold == y.gold) return std::nullopt;  // the right answer does not move, so nor should the model's
    return x.answer == y.answer ? 1 : 0;
  });
}

std::vector<Observation> observe_nll(std::span<const Record* const> records) {
  std::vector<Observation> result;
  for (const Record* r : records) {
    for (const auto& t : r->targets) result.push_back(of_target(*r, t, t.nll));
    if (r->targets.empty() && r->nll) result.push_back(of_record(*r, *r->nll));
  }
  return result;
}

std::vector<Observation> observe_excess(std::span<const Record* const> records) {
  std::vector<Observation> result;
  for (const Record* r : records) {
    const auto ideal = std::find_if(r->baselines.begin(), r->baselines.end(),
                                    [](const auto& baseline) { return baseline.first == kIdealNll; });
    if (ideal == r->baselines.end()) continue;
    Observation o = of_record(*r, 0);
    if (o.nll_count == 0) continue;
    o.weight = static_cast<double>(o.nll_count);
    o.value = o.nll_sum / o.weight - ideal->second;
    result.push_back(o);
  }
  return result;
}

constexpr std::array kMetrics = {
    Metric{"accuracy", "probe", true, false, true, true, [](const SuiteFacts& f) { return f.candidates; },
           observe_answers<&Record::correct>},
    Metric{"accuracy_free", "probe", true, false, true, false, [](const SuiteFacts& f) { return f.free; },
           observe_answers<&Record::correct_free>},
    Metric{"target_accuracy", "target", true, true, true, true, [](const SuiteFacts& f) { return f.several; },
           observe_targets},
    Metric{"pair_accuracy", "pair", true, false, true, true,
           [](const SuiteFacts& f) { return f.pairs && f.candidates; }, observe_both_right},
    Metric{"position_blind", "pair", true, false, false, false,
           [](const SuiteFacts& f) { return f.pairs && f.candidates; }, observe_blind},
    Metric{"nll", "target", false, true, false, true, [](const SuiteFacts& f) { return f.likelihood; }, observe_nll},
    Metric{"excess_nll", "target", false, false, false, true, [](const SuiteFacts& f) { return f.ideal; },
           observe_excess},
};

}  // namespace

std::span<const Metric> metrics() { return kMetrics; }

const Metric& metric(std::string_view name) {
  for (const auto& m : kMetrics)
    if (m.name == name) return m;
  throw Error(ErrorKind::kInternal, "no metric '" + std::string(name) + "'");
}

std::string answer_metric(const SuiteFacts& facts) { return facts.several ? "target_accuracy" : "accuracy"; }

bool counts_answers(std::string_view metric_name) {
  return metric_name == "accuracy" || metric_name == "target_accuracy";
}

std::string main_metric(const SuiteFacts& facts) {
  if (facts.candidates) return answer_metric(facts);
  return facts.ideal ? "excess_nll" : "nll";
}

bool is_share(std::string_view metric_name) { return metric(metric_name).share; }

std::optional<bool> higher_is_better(std::string_view metric_name) {
  if (metric_name == "position_blind") return false;
  return metric(metric_name).share;
}

}  // namespace lw
