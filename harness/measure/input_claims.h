// Claims about position codes that are added to the input.
#pragma once
#include <vector>

#include "harness/measure/position_claims.h"

namespace lw {

/// Whether neighbours differ, how far codes stay unique, and whether a shift is a linear map.
/// @param touches whether the scheme has such codes at all.
std::vector<PositionClaim> input_claims(const ModelShape& shape, bool touches, const MakeEncoding& make);

}  // namespace lw
