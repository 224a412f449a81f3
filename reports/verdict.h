// A few sentences derived from the numbers by fixed rules, each quoting the numbers it rests on.
#pragma once
#include <vector>

#include "reports/summary.h"

namespace lw {

/// At most six claims, from cells, pooled values, effective lengths and comparisons of `summary`.
std::vector<Claim> derive_verdict(const Summary& summary);

}  // namespace lw
