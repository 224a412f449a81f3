// Measures the position card of an encoding.
#pragma once
#include <string>

#include "harness/measure/position_measure.h"
#include "harness/results/position_card.h"

namespace lw {

struct PositionCardOptions {
  int64_t length = 0;    // tokens for which the state is given (dynamic methods): the training length when 0
  int64_t deployed = 0;  // tokens that the setting is to reach, for wavelengths: `length` when 0
  bool claims = true;    // also measure position_claims()
};

/// @param make builds the encoding; called for each measurement, so that nothing can be carried over.
PositionCard position_card(const std::string& scheme, const ModelShape& shape, const PositionCardOptions& options,
                           const MakeEncoding& make);

}  // namespace lw
