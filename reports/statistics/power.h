// What a number of probes can show: the smallest true difference found with 80 % power at two-sided 5 %.
#pragma once
#include <cstdint>

namespace lw {

/// Between two separate groups of n with shares near p. n > 0.
double detectable_unpaired(double p, double n);
/// On n shared probes of which `discordant` (a share) are answered differently. n > 0.
double detectable_paired(double discordant, double n);
/// From the standard error of a mean or of a mean difference.
double detectable_from_error(double error);

}  // namespace lw
