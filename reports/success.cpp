#include "reports/success.h"

#include <algorithm>
#include <cmath>

#include "harness/base/numbers.h"
#include "reports/pooled.h"
#include "reports/statistics/intervals.h"

namespace lw {
namespace {

std::string value_words(const Pooled& p) {
  std::string words = format_fixed(*p.value, 2);
  if (p.low) words += " [" + format_fixed(*p.low, 2) + ", " + format_fixed(*p.high, 2) + "]";
  return words;
}

std::string at_words(const Pooled& p) { return value_words(p) + " at " + format_grouped(p.length); }

/// One length of a suite with answers.
InLength share_success(const Pooled& p) {
  if (!complete(p)) return {Success::kOpen, "some probes have no score at " + format_grouped(p.length)};
  const auto floor = floor_of(p);
  if (!floor) return {Success::kOpen, at_words(p) + ", no chance level to hold it against"};
  const std::string words = at_words(p) + ", " + floor->words;
  if (!p.low) return {Success::kOpen, words};
  if (*p.low > floor->value) return {Success::kShown, words};
  // Half-way to a perfect score is out of reach: enough probes to call it a no.
  return {*p.high < floor->value + 0.5 * (1 - floor->value) ? Success::kNo : Success::kOpen, words};
}

/// One length of a suite without answers.
InLength loss_success(const View& view, const Pooled& p) {
  if (!complete(p)) return {Success::kOpen, "some tokens have no score at " + format_grouped(p.length)};
  const SettingInfo& setting = view.setting(p.variant);
  const std::string words = value_words(p) + " nats at " + format_grouped(p.length);
  for (const auto& training : setting.trainings)
    for (const auto& gate : training.gates)
      if (gate.suite == p.suite) return {Success::kShown, words + ", gate passed"};  // as did every seed in the mean
  if (!setting.checkpoint || setting.checkpoint->vocabulary.rows < 2 || p.metric != "nll")
    return {Success::kOpen, words + ", nothing to hold it against"};
  const double uniform = std::log(static_cast<double>(setting.checkpoint->vocabulary.rows));
  const std::string against = words + ", a uniform guess " + format_fixed(uniform, 2);
  if (!p.high) return {Success::kOpen, against};
  return {*p.high < uniform ? Success::kShown : *p.low >= uniform ? Success::kNo : Success::kOpen, against};
}

}  // namespace

std::optional<Floor> floor_of(const Pooled& p) {
  std::optional<Floor> floor;
  if (!metric(p.metric).share()) return floor;
  if (p.chance) floor = Floor{*p.chance, "chance " + share_words(*p.chance)};
  for (const auto& [name, value] : p.baselines)
    if (name != kIdealNll && (!floor || value > floor->value))
      floor = Floor{value, "guessing '" + name + "' " + format_fixed(value, 2)};
  return floor;
}

InLength in_length(const View& view, const std::string& variant, const std::string& suite) {
  const Metric* main = view.main_metric(suite);
  if (main == nullptr) return {};
  InLength worst;
  const auto rank = [](Success s) { return s == Success::kShown ? 0 : s == Success::kOpen ? 1 : 2; };
  for (const int64_t length : view.lengths(suite)) {
    const Pooled* p = view.at(variant, suite, *main, length);
    if (p == nullptr || !p->in_length || p->seeds_learned == 0 || p->reason == "not run") continue;
    const InLength here = main->share() ? share_success(*p) : loss_success(view, *p);
    if (worst.success == Success::kNotAsked || rank(here.success) >= rank(worst.success)) worst = here;
  }
  return worst;
}

int64_t probes_needed(double bar, int64_t family) {
  if (bar >= 1) return INT64_MAX;
  const double z = normal_quantile(1 - 0.05 / static_cast<double>(family));
  auto n = std::max<int64_t>(1, std::llround(std::floor(z * z * bar / (1 - bar))));
  while (wilson_count(n, n, z).low < bar) ++n;
  return n;
}

OrderHeard order_heard(const View& view, const std::string& variant, const std::string& suite) {
  const Metric &both = metric("pair_accuracy"), &blind = metric("position_blind");
  OrderHeard heard;
  for (const int64_t length : view.lengths(suite)) {
    const Pooled *right = view.at(variant, suite, both, length), *unmoved = view.at(variant, suite, blind, length);
    if (right == nullptr || unmoved == nullptr || !right->in_length || !right->value) continue;
    heard = {Success::kOpen, "some pairs have no score at " + format_grouped(length)};
    if (!complete(*right) || !complete(*unmoved) || !right->low || !unmoved->low) continue;
    heard.words = "both right " + value_words(*right) + ", unmoved by a swap " + at_words(*unmoved);
    const double chance = right->chance.value_or(0);
    if (*right->low > chance && *unmoved->high < 0.5)
      heard.success = Success::kShown;
    else if (*unmoved->low > 0.5 || *right->high < 0.5)
      heard.success = Success::kNo;
  }
  return heard;
}

}  // namespace lw
