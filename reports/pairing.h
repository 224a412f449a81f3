// The same probes under two settings, matched by id and prompt.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "reports/metrics/metric.h"

namespace lw {

/// What could not be paired, in probes.
struct Unpaired {
  int64_t only_base = 0, only_run = 0;          // id absent on the other side
  int64_t other_prompt = 0;                     // same id, other prompt_hash
  int64_t unscored_base = 0, unscored_run = 0;  // same probe, without a score on that side only
  int64_t unscored_both = 0;

  int64_t total() const { return only_base + only_run + other_prompt + unscored_base + unscored_run + unscored_both; }
  Unpaired& operator+=(const Unpaired& other);
};

struct RecordPair {
  const Record* base = nullptr;
  const Record* run = nullptr;
};

struct Pairing {
  std::vector<RecordPair> pairs;  // scored on both sides
  Unpaired unpaired;
};

/// @param base,run records of one suite, ids unique, both ascending by (length, id) as RecordIndex gives them.
Pairing pair_records(std::span<const Record* const> base, std::span<const Record* const> run);

struct PairedValue {
  Observation base, run;
};
/// Values of a metric whose unit is a probe or a target. Pairs that have the value on one side only are dropped.
std::vector<PairedValue> paired_values(std::span<const RecordPair> pairs, const Metric& metric);

}  // namespace lw
