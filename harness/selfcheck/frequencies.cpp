// RoPE's frequencies under every scaling, against the papers' formulas written a second time.
#include "harness/selfcheck/frequencies.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "encodings/rope_scaling/rope_scaling.h"
#include "encodings/rope_scaling/straight_frequencies.h"
#include "harness/selfcheck/check.h"

namespace lw {
namespace {

constexpr double kUnusable = std::numeric_limits<double>::infinity();

/// The frequencies that an encoding states for a length; empty where it states none for the model as a whole.
std::vector<double> stated_frequencies(const Subject& s, int64_t length) {
  for (const auto& fact : s.position.build()->facts(length))
    if (fact.name == "inv_freq") return fact.numbers;
  return {};
}

/// Pairs that do not rotate at all, the last ones.
size_t still_pairs(std::span<const double> straight) {
  return size_t(std::count(straight.begin(), straight.end(), 0.0));
}

Finding check_frequencies(std::span<const Subject> subjects) {
  Deviations found(kFrequencyBound, "table");
  for (const auto& s : subjects) {
    const int64_t trained = std::max<int64_t>(1, s.position.shape().train_length);
    for (const int64_t length : {trained, 4 * trained}) {
      const std::string name = s.name + " at " + std::to_string(length) + " tokens";
      if (const auto reach = s.position.build()->max_positions(); reach && *reach < length) {
        if (s.position.scheme() == kScaledScheme) found.leave_out(name, "its positions end before");
        continue;
      }
      const auto used = stated_frequencies(s, length);
      if (used.empty()) continue;  // no RoPE, or one for each kind of layer
      const auto straight = s.position.scheme() == kScaledScheme
                                ? straight_frequencies(s.position.resolved(), s.position.shape(), length)
                                : std::nullopt;
      if (straight) {
        found.add(frequencies_apart(used, *straight, still_pairs(*straight)), name);
      } else {
        found.add(unusable_frequencies(used), name);
        found.leave_out(name, "there is no second formula: only finite and above 0");
      }
    }
  }
  return found.finding();
}

}  // namespace

double unusable_frequencies(std::span<const double> used, size_t still) {
  for (size_t i = 0; i < used.size(); ++i) {
    const bool rests = i + still >= used.size();
    if (rests ? used[i] != 0 : !(std::isfinite(used[i]) && used[i] > 0)) return kUnusable;
  }
  return 0;
}

double frequencies_apart(std::span<const double> used, std::span<const double> straight, size_t still) {
  if (used.size() != straight.size() || used.empty()) return kUnusable;
  double worst = unusable_frequencies(used, still);
  for (size_t i = 0; i + still < used.size(); ++i)
    worst = std::max(worst, std::abs(used[i] - straight[i]) / std::abs(straight[i]));
  return worst;
}

extern const SelfCheck frequencies_check{
    .name = "frequencies",
    .compares = "RoPE's frequencies, and the papers' formulas",
    .measures = "largest relative difference, float64",
    .run = check_frequencies,
};

}  // namespace lw
