// What a record cannot say, whoever wrote it: each number within its range, and none that contradicts another.
#include <algorithm>
#include <cmath>

#include "harness/base/error.h"
#include "harness/base/printable.h"
#include "harness/base/text.h"
#include "harness/results/record.h"

namespace lw {
namespace {

[[noreturn]] void refuse_value(const std::string& place, const std::string& key, const std::string& what) {
  throw Error(ErrorKind::kInput, text(place, ": ", key, ": ", what));
}

void check_range(const std::string& place, const std::string& key, int64_t value, int64_t low, int64_t high) {
  if (value < low || value > high) refuse_value(place, key, found(value).allowed(low, " to ", high));
}

void check_depth(const std::string& place, const std::string& key, const std::optional<double>& depth) {
  if (depth && !(*depth >= 0 && *depth <= 1)) refuse_value(place, key, found(*depth).allowed("0 to 1"));
}

void check_loss(const std::string& place, const std::string& key, double nll) {
  if (!std::isfinite(nll) || nll < -1e-6)
    refuse_value(place, key, found(nll).allowed("a negative log-likelihood, at least 0"));
}

/// The id says which probe it is: "needle/256/17".
void check_id(const Record& r, const std::string& place) {
  const std::string start = text(r.suite, "/", r.length, "/");
  const std::string index = r.id.starts_with(start) ? r.id.substr(start.size()) : "";
  if (index.empty() || index.find_first_not_of("0123456789") != index.npos)
    refuse_value(place, "id", found(printable(r.id)).allowed("'", start, "' and a number: suite, length and index"));
}

void check_tokens(const Record& r, const std::string& place) {
  if (r.length < 1) refuse_value(place, "length", found(r.length).allowed("at least 1"));
  check_range(place, "answer_budget", r.answer_budget, 0, r.length);
  if (r.prompt_tokens + r.answer_budget != r.length)
    refuse_value(place, "prompt_tokens",
                 found(r.prompt_tokens, " beside an answer budget of ", r.answer_budget)
                     .allowed(r.length - r.answer_budget, ", as both make up the length"));
  check_range(place, "query_offset", r.query_offset, 0, r.length - 1);
  for (const int64_t offset : r.needle_offsets) check_range(place, "needle_offsets", offset, 0, r.length - 1);
  if (r.distance) check_range(place, "distance", *r.distance, 0, r.length - 1);
  check_depth(place, "depth", r.depth);
}

/// Where the evidence is known, a distance leads from the query, or from the token before the target, to some of it.
void check_distance(const Record& r, const TargetScore& t, const std::string& place) {
  if (!t.distance || r.needle_offsets.empty()) return;
  const auto leads = [&](int64_t from) {
    return std::find(r.needle_offsets.begin(), r.needle_offsets.end(), from - *t.distance) != r.needle_offsets.end();
  };
  if (leads(r.query_offset) || leads(t.offset - 1)) return;
  refuse_value(
      place, "distance",
      found(*t.distance, " from query_offset ", r.query_offset)
          .allowed("a distance that leads to one of needle_offsets: here ", r.query_offset - r.needle_offsets.front()));
}

void check_targets(const Record& r, const std::string& place) {
  std::optional<int64_t> farthest;
  for (const auto& t : r.targets) {
    check_range(place, "targets: offset", t.offset, 0, r.length - 1);
    if (t.distance) check_range(place, "targets: distance", *t.distance, 0, r.length - 1);
    check_depth(place, "targets: depth", t.depth);
    check_loss(place, "targets: nll", t.nll);
    check_distance(r, t, place);
    if (t.distance && (!farthest || *t.distance > *farthest)) farthest = t.distance;
  }
  if (r.distance && farthest && *r.distance != *farthest)
    refuse_value(place, "distance", found(*r.distance).allowed(*farthest, ", the farthest of its targets"));
}

void check_scores(const Record& r, const std::string& place) {
  if (r.nll) check_loss(place, "nll", *r.nll);
  for (const auto& [name, value] : r.baselines) {
    const std::string key = "baselines." + name;
    if (name == "ideal_nll")
      check_loss(place, key, value);
    else if (!(value >= 0 && value <= 1))
      refuse_value(place, key, found(value).allowed("0 to 1"));
  }
  bool all = true, any = false;
  for (const auto& t : r.targets) {
    any = any || t.correct.has_value();
    all = all && t.correct.value_or(true);
  }
  if (r.correct && any && *r.correct != all)
    refuse_value(place, "correct", found(*r.correct).allowed(all, ", as its targets are"));
}

}  // namespace

void check_record(const Record& r, const std::string& place) {
  check_tokens(r, place);
  check_id(r, place);
  check_targets(r, place);
  check_scores(r, place);
}

}  // namespace lw
