// Compared runs as curves: every setting over length or distance, and below it what the runs differ by.
#pragma once
#include <vector>

#include "reports/diff.h"
#include "reports/figures/figures.h"

namespace lw {

/// One figure a suite and metric, for distances one a length (the longest in training and the longest of all). Above:
/// the values of base and runs on the probes that they share. Below: run minus base with its 95 % interval.
std::vector<Figure> diff_curves(const Diff& diff, Scope scope);

}  // namespace lw
