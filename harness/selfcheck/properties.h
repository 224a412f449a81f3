// The properties of a position card, as faults to be counted.
#pragma once
#include <string>

#include "encodings/position_encoding.h"
#include "harness/selfcheck/finding.h"

namespace lw {

/// Adds each declared property that can be measured, as good where the measured one is the same.
void add_properties(const std::string& name, const ModelShape& shape, const MakeEncoding& make, FaultCount& found);

}  // namespace lw
