#include "reports/pairing.h"

#include <array>
#include <tuple>

namespace lw {
namespace {

bool before(const Record& x, const Record& y) { return std::tie(x.length, x.id) < std::tie(y.length, y.id); }

void match(const Record& base, const Record& run, Pairing& result) {
  const bool base_scored = base.status == Status::kScored, run_scored = run.status == Status::kScored;
  if (base.prompt_hash != run.prompt_hash)
    ++result.unpaired.other_prompt;
  else if (base_scored && run_scored)
    result.pairs.push_back({&base, &run});
  else if (base_scored)
    ++result.unpaired.unscored_run;
  else
    ++(run_scored ? result.unpaired.unscored_base : result.unpaired.unscored_both);
}

}  // namespace

Unpaired& Unpaired::operator+=(const Unpaired& other) {
  only_base += other.only_base;
  only_run += other.only_run;
  other_prompt += other.other_prompt;
  unscored_base += other.unscored_base;
  unscored_run += other.unscored_run;
  unscored_both += other.unscored_both;
  return *this;
}

Pairing pair_records(std::span<const Record* const> base, std::span<const Record* const> run) {
  Pairing result;
  size_t i = 0, j = 0;
  while (i < base.size() && j < run.size()) {
    if (before(*base[i], *run[j])) {
      ++result.unpaired.only_base, ++i;
    } else if (before(*run[j], *base[i])) {
      ++result.unpaired.only_run, ++j;
    } else {
      match(*base[i++], *run[j++], result);
    }
  }
  result.unpaired.only_base += static_cast<int64_t>(base.size() - i);
  result.unpaired.only_run += static_cast<int64_t>(run.size() - j);
  return result;
}

std::vector<PairedValue> paired_values(std::span<const RecordPair> pairs, const Metric& metric) {
  std::vector<PairedValue> values;
  for (const auto& pair : pairs) {
    const auto base = metric.observe(std::array{pair.base});
    const auto run = metric.observe(std::array{pair.run});
    if (base.size() != run.size()) continue;
    for (size_t i = 0; i < base.size(); ++i)
      if (base[i].offset == run[i].offset && !base[i].early) values.push_back({base[i], run[i]});
  }
  return values;
}

}  // namespace lw
