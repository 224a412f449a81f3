// What a variant shows inside its training length. Every claim about length needs success there first.
#pragma once
#include <optional>
#include <string>

#include "reports/view.h"

namespace lw {

enum class Success {
  kShown,    // at every length inside: the lower bound lies above chance and above every guess
  kNo,       // at chance, or no better than a guess
  kOpen,     // too few probes to tell, or nothing to hold a loss against
  kNotAsked  // no length inside the training length, or no seed learned the suite
};

struct InLength {
  Success success = Success::kNotAsked;
  std::string words;  // "0.14 [0.10, 0.19] at 32, chance 0.125": the lowest length that decides
};

/// Suites with answers: by accuracy. Losses: a passed gate; a loaded model must lie below a uniform guess over its
/// vocabulary.
InLength in_length(const View& view, const std::string& variant, const std::string& suite);

/// What a score must lie above: chance, or the best of the guesses. Absent for losses.
struct Floor {
  double value = 0;
  std::string words;  // "chance 0.125", "guessing 'last' 0.30"
};
std::optional<Floor> floor_of(const Pooled& p);

/// What a share must prove at most if every probe is right: fewer independent probes cannot prove `bar`.
/// @param family claims made at once (Bonferroni).
int64_t probes_needed(double bar, int64_t family = 1);

/// Of a suite of pairs, the longest length inside the training length: whether the model hears the order.
struct OrderHeard {
  Success success = Success::kNotAsked;
  std::string words;  // "both right 0.98 [0.95, 1.00], unmoved 0.01 [0.00, 0.04] at 32"
};
OrderHeard order_heard(const View& view, const std::string& variant, const std::string& suite);

}  // namespace lw
