// The position card: everything needed to reproduce a position setting, each declared property beside
// what was measured on the spot.
#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "encodings/position_encoding.h"

namespace lw {

/// @param make    builds the encoding; called for each measurement, so that nothing can be carried over.
/// @param length  tokens for which the state is given (dynamic methods): the training length when 0.
/// Keys: scheme applies_to learned parameters max_positions cache, shift_invariant / value_touched /
/// cache_valid as {declared, measured, residual}, and the encoding's own facts.
nlohmann::ordered_json position_card(const std::string& scheme, const ModelShape& shape, int64_t length,
                                     const std::function<std::shared_ptr<PositionEncoding>()>& make);

/// Names of the properties whose measured value is not the declared one.
std::vector<std::string> card_disagreements(const nlohmann::ordered_json& card);

}  // namespace lw
