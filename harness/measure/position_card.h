// The position card: everything needed to reproduce a position setting, each declared property beside
// what was measured on the spot.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "harness/measure/position_measure.h"

namespace lw {

struct PositionCardOptions {
  int64_t length = 0;    // tokens for which the state is given (dynamic methods): the training length when 0
  int64_t deployed = 0;  // tokens that the setting is to reach, for wavelengths: `length` when 0
  bool claims = true;    // also measure position_claims()
};

/// @param make builds the encoding; called for each measurement, so that nothing can be carried over.
/// Keys: scheme applies_to learned parameters parameter_bytes max_positions cache, shift_invariant /
/// input_touched / value_touched / cache_valid as {declared, measured, residual}, the encoding's own facts, for
/// schemes of wavelengths the pairs that never finish a turn, and `checks`: a list of {name, claim, holds (null:
/// not applicable), value, detail}.
nlohmann::ordered_json position_card(const std::string& scheme, const ModelShape& shape,
                                     const PositionCardOptions& options, const MakeEncoding& make);

/// Names of the properties whose measured value is not the declared one.
std::vector<std::string> card_disagreements(const nlohmann::ordered_json& card);

}  // namespace lw
