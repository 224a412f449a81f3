// The position card of a config's variant.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "harness/experiment/experiment.h"

namespace lw {

/// @param length tokens at which the state is given; the training length when 0.
nlohmann::ordered_json position_card_of(const Variant& variant, int64_t length);

/// Tokens that a variant is to reach: the longest that it is judged on.
int64_t deployed_length(const Variant& variant);

}  // namespace lw
