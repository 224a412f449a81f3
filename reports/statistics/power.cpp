#include "reports/statistics/power.h"

#include <cmath>

#include "reports/statistics/intervals.h"

namespace lw {

double detectable_from_error(double error) { return (kZ95 + kZ80Power) * error; }

double detectable_unpaired(double p, double n) { return detectable_from_error(std::sqrt(2 * p * (1 - p) / n)); }

double detectable_paired(double discordant, double n) { return detectable_from_error(std::sqrt(discordant / n)); }

}  // namespace lw
