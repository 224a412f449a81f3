// Functions with a known value, compared with it.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "harness/base/rng.h"
#include "harness/selfcheck/finding.h"
#include "reports/statistics/multiplicity.h"
#include "reports/statistics/paired.h"

namespace lw {

struct Oracle {
  std::string name;
  double computed = 0, known = 0;
};

/// Known values have six digits behind the point.
inline constexpr double kOracleBound = 1e-6;
/// Logarithm, root and cosine of the system's own library may differ in the last digit.
inline constexpr double kNormalBound = 1e-14;

/// The largest difference between computed and known.
Finding compare_oracles(std::span<const Oracle> oracles, double bound);

/// The functions under check, so that tests can put others in their place.
struct IntervalFunctions {
  Interval (*wilson)(int64_t k, int64_t n, double z) = wilson_count;
  std::optional<MeanInterval> (*mean)(std::span<const double> values) = t_interval;
};
std::vector<Oracle> interval_oracles(const IntervalFunctions& functions = {});

struct PairedFunctions {
  double (*mcnemar)(int64_t b, int64_t c) = mcnemar_exact;
  Interval (*difference)(const PairedCounts& counts, double z) = tango;
  double (*signs)(std::span<const double> differences, Rng rng, int64_t draws) = sign_flip;
};
std::vector<Oracle> paired_oracles(const PairedFunctions& functions = {});

struct AdjustFunctions {
  std::vector<double> (*family)(std::span<const double> p) = holm;
  std::vector<double> (*rate)(std::span<const double> p) = benjamini_hochberg;
};
std::vector<Oracle> adjusted_oracles(const AdjustFunctions& functions = {});

/// The next number of an integer generator that began with seed 1234567, and the first of child streams.
std::vector<bool> known_integers(Rng rng);
std::vector<Oracle> normal_oracles(Rng rng);

}  // namespace lw
