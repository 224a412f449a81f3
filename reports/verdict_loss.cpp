// What length costs in likelihood: from the longest length inside training to the longest beyond it.
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/text.h"
#include "reports/pooled.h"
#include "reports/statistics/intervals.h"
#include "reports/verdict_claims.h"

namespace lw {
namespace {

using Tone = Claim::Tone;

/// The rise of one variant's loss.
struct LossRise {
  std::string variant;
  double value = 0, near = 0, far = 0;
  std::optional<double> half;  // of an interval that holds for all variants at once
};

/// Half of the 95 % interval of one seed's rise, as if both lengths were independent, which can only be wider: a
/// document that is hard at one length is hard at the other.
std::optional<double> seed_half(const SeedValue& near, const SeedValue& far) {
  if (!near.low || !far.low) return std::nullopt;
  return std::hypot(0.5 * (*near.high - *near.low), 0.5 * (*far.high - *far.low));
}

/// Two and more seeds: Student's t over their rises, never narrower than the tokens allow; one: its tokens alone.
/// @param family variants of which the sentence takes the best (Bonferroni).
LossRise rise_of(const Pooled& near, const Pooled& far, double family) {
  LossRise rise{near.variant, *far.value - *near.value, *near.value, *far.value, {}};
  const double tail = 1 - 0.025 / family;
  std::vector<double> rises;
  double squares = 0;
  for (const auto& seed : near.seeds)
    for (const auto& other : far.seeds) {
      if (seed.seed != other.seed || !seed.learned || !seed.value || !other.value) continue;
      const auto half = seed_half(seed, other);
      if (!half) return rise;
      rises.push_back(*other.value - *seed.value);
      squares += *half * *half;
    }
  if (rises.empty()) return rise;
  const auto k = static_cast<double>(rises.size());
  rise.half = std::sqrt(squares) / k * normal_quantile(tail) / kZ95;
  if (const auto t = t_interval(rises))
    rise.half = std::max(*rise.half, student_t_quantile(tail, k - 1) * t->sd / std::sqrt(k));
  return rise;
}

std::string rise_words(const LossRise& r) {
  std::string words = r.variant + " " + signed_number(r.value);
  if (r.half) words += " [" + signed_number(r.value - *r.half) + ", " + signed_number(r.value + *r.half) + "]";
  return words + " (" + quoted(r.near) + " to " + quoted(r.far) + ")";
}

/// The variants that succeed inside the training length and have whole numbers at the longest length inside and at the
/// longest beyond, lowest rise first.
std::vector<LossRise> rises_of(const View& view, const std::string& suite, const Metric& metric,
                               std::set<std::pair<int64_t, int64_t>>& ends, std::vector<std::string>& unfounded) {
  std::vector<std::pair<const Pooled*, const Pooled*>> pairs;
  for (const auto& v : unscaled_variants(view)) {
    const Pooled *near = nullptr, *far = nullptr;
    for (const int64_t length : view.lengths(suite))
      if (const Pooled* p = view.at(v, suite, metric, length)) (p->in_length ? near : far) = p;
    if (near == nullptr || far == nullptr || !complete(*near) || !complete(*far)) continue;
    const InLength shown = in_length(view, v, suite);
    if (shown.success == Success::kShown) {
      pairs.emplace_back(near, far);
      ends.emplace(near->length, far->length);
    } else {
      unfounded.push_back(v + " (" + shown.words + ")");
    }
  }
  std::vector<LossRise> rises;
  for (const auto& [near, far] : pairs) rises.push_back(rise_of(*near, *far, static_cast<double>(pairs.size())));
  std::stable_sort(rises.begin(), rises.end(), [](const auto& x, const auto& y) { return x.value < y.value; });
  return rises;
}

Tone tone_of_rises(const std::vector<LossRise>& rises, double margin) {
  const auto any = [&](auto test) { return std::any_of(rises.begin(), rises.end(), test); };
  if (any([&](const LossRise& r) { return r.half && r.value + *r.half <= margin; })) return Tone::kGood;
  return any([&](const LossRise& r) { return !r.half || r.value - *r.half <= margin; }) ? Tone::kNote : Tone::kBad;
}

}  // namespace

std::optional<Claim> loss_claim(const View& view, const std::string& suite) {
  const Metric* metric = view.main_metric(suite);
  if (metric == nullptr) return std::nullopt;
  std::set<std::pair<int64_t, int64_t>> ends;
  std::vector<std::string> unfounded;
  const auto rises = rises_of(view, suite, *metric, ends, unfounded);
  const std::string others =
      unfounded.empty() ? "" : "Not shown to succeed inside the training length: " + join(unfounded, "; ") + ".";
  Claim claim;
  if (rises.empty()) {
    if (others.empty()) return std::nullopt;
    claim.headline = suite + ": no success is shown inside the training length, so nothing is said of longer ones.";
    claim.text = others;
    return claim;
  }
  const double margin = view.summary().options.margin;
  claim.tone = tone_of_rises(rises, margin);
  const auto [inside, beyond] = *ends.begin();
  claim.headline = suite + ": from " +
                   (ends.size() == 1 ? format_grouped(inside) + " to " + format_grouped(beyond) + " tokens "
                                     : "the training length to the longest tested ") +
                   metric->title() + " changes by " + signed_number(rises.front().value) +
                   (rises.size() > 1 ? " to " + signed_number(rises.back().value) : "") + ".";
  const std::string rise_limit = "a rise of " + quoted(margin) + " or less";
  claim.text = claim.tone == Tone::kGood  ? "Shown for the lowest: " + rise_limit + ". "
               : claim.tone == Tone::kBad ? "Each rises by more than " + quoted(margin) + ". "
                                          : "Undecided: " + rise_limit + " is neither shown nor refuted. ";
  claim.text += rise_words(rises.front()) + (rises.size() > 1 ? "; " + rise_words(rises.back()) : "") + ".";
  if (!others.empty()) claim.text += " " + others;
  return claim;
}

}  // namespace lw
