// Whether a run asks the questions that a claim about longer contexts has to answer, and what the answers are.
#pragma once
#include <vector>

#include "reports/view.h"

namespace lw {

/// From cells, pooled values and comparisons of the summary.
std::vector<ProtocolItem> check_protocol(const View& view);

}  // namespace lw
