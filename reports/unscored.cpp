#include "reports/unscored.h"

#include <algorithm>
#include <set>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/text.h"

namespace lw {
namespace {

std::string status_words(Status status) {
  switch (status) {
    case Status::kScored:
      return "scored";
    case Status::kTooLong:
      return "too long";
    case Status::kNoPosition:
      return "no position";
    case Status::kFailed:
      return "failed";
  }
  return "";
}

/// Observations that an unscored probe takes with it: itself, or the pair that it belongs to.
int64_t lost_units(std::span<const Record* const> probes, Unit unit) {
  if (unit != Unit::kPair)
    return std::count_if(probes.begin(), probes.end(), [](const auto* r) { return r->status != Status::kScored; });
  std::set<std::string_view> pairs;
  for (const Record* r : probes)
    if (r->status != Status::kScored) pairs.insert(r->group);
  return static_cast<int64_t>(pairs.size());
}

/// "2 failed: the logits at position 40 are not finite; 1 no position: table holds 32".
std::string unscored_words(std::span<const Record* const> probes) {
  std::vector<std::string> parts;
  for (const Status status : {Status::kTooLong, Status::kNoPosition, Status::kFailed}) {
    int64_t count = 0;
    std::string why;
    for (const Record* r : probes) {
      if (r->status != status) continue;
      if (count++ == 0) why = r->reason;
    }
    if (count > 0) parts.push_back(text(count, " ", status_words(status), why.empty() ? "" : ": ", why));
  }
  return join(parts, "; ");
}

}  // namespace

void count_probe(Cell& cell, const Record& r) {
  ++cell.n_total;
  cell.n_scored += r.status == Status::kScored ? 1 : 0;
  cell.n_too_long += r.status == Status::kTooLong ? 1 : 0;
  cell.n_no_position += r.status == Status::kNoPosition ? 1 : 0;
  cell.n_failed += r.status == Status::kFailed ? 1 : 0;
}

std::string reason_of(const Cell& cell, std::span<const Record* const> probes, Unit unit) {
  if (cell.n_total == 0) return "not run";
  if (cell.n_scored > 0) return unit == Unit::kPair ? "no complete pair" : "not scored";
  Status most = Status::kTooLong;
  int64_t count = cell.n_too_long;
  if (cell.n_no_position > count) most = Status::kNoPosition, count = cell.n_no_position;
  if (cell.n_failed > count) most = Status::kFailed;
  for (const Record* r : probes)
    if (r->status == most) return status_words(most) + (r->reason.empty() ? "" : ": " + r->reason);
  return status_words(most);
}

void note_unscored(Cell& cell, std::span<const Record* const> probes, std::span<const Observation* const> scored,
                   const Metric& m) {
  cell.unscored = unscored_words(probes);
  if (!m.share() || !cell.value) return;
  std::set<const Record*> seen;  // several targets of a probe are one unit here
  for (const Observation* o : scored) seen.insert(o->record);
  const auto with = static_cast<double>(seen.size()), lost = static_cast<double>(lost_units(probes, m.unit));
  cell.bound_low = *cell.value * with / (with + lost);
  cell.bound_high = (*cell.value * with + lost) / (with + lost);
}

}  // namespace lw
