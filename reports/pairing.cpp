#include "reports/pairing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "reports/statistics/power.h"

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

PairedResult compare_shares(std::span<const PairedValue> values) {
  PairedResult result;
  for (const auto& v : values) result.counts.add(v.run.value > 0.5, v.base.value > 0.5);
  const PairedCounts& t = result.counts;
  const auto n = static_cast<double>(t.n());
  result.n = t.n();
  result.run_value = static_cast<double>(t.a + t.b) / n;
  result.base_value = static_cast<double>(t.a + t.c) / n;
  result.difference = t.difference();
  result.interval = tango(t);
  result.p = mcnemar_exact(t.b, t.c);
  // Without a single disagreement the share of them is not zero, only smaller than one in n.
  result.detectable = detectable_paired(static_cast<double>(std::max<int64_t>(1, t.b + t.c)) / n, n);
  return result;
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

std::optional<PairedResult> compare(std::span<const PairedValue> values, const Metric& metric, const Rng& rng) {
  if (values.empty()) return std::nullopt;
  if (metric.share() && metric.unit == Unit::kProbe) return compare_shares(values);
  PairedResult result;
  std::vector<Clustered> differences;
  double weight = 0;
  for (const auto& v : values) {
    // The same probe under several seeds is one cluster too.
    const std::string_view cluster = v.base.cluster.empty() ? std::string_view(v.base.record->id) : v.base.cluster;
    differences.push_back({v.run.value - v.base.value, v.base.weight, cluster});
    result.base_value += v.base.weight * v.base.value;
    result.run_value += v.base.weight * v.run.value;
    weight += v.base.weight;
    if (metric.share()) result.counts.add(v.run.value > 0.5, v.base.value > 0.5);
  }
  const auto mean = paired_mean(differences, rng);
  if (!mean) return std::nullopt;
  result.n = static_cast<int64_t>(std::llround(weight));
  result.base_value /= weight;
  result.run_value /= weight;
  result.difference = mean->mean.mean;
  result.interval = mean->interval;
  result.p = mean->p;
  if (mean->interval) result.detectable = detectable_from_error(mean->mean.error);
  return result;
}

void PairedResult::put_into(Comparison& row) const {
  row.n = n;
  row.a = counts.a;
  row.b = counts.b;
  row.c = counts.c;
  row.d = counts.d;
  row.baseline_value = base_value;
  row.value = run_value;
  row.difference = difference;
  if (interval) {
    row.low = interval->low;
    row.high = interval->high;
  }
  row.p = p;
  row.detectable = detectable;
}

Verdict direction(double difference, double p, double alpha, const Metric& metric, Verdict otherwise) {
  if (p >= alpha || difference == 0) return otherwise;
  return (difference > 0) == (metric.better == Better::kHigher) ? Verdict::kBetter : Verdict::kWorse;
}

}  // namespace lw
