// Position cards of config variants.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/app/experiment.h"

namespace lw {

/// @param length tokens at which the state is given; the training length when 0.
nlohmann::ordered_json position_card_of(const Variant& variant, int64_t length);

/// Tokens that a variant is to reach: the longest that it is judged on.
int64_t deployed_length(const Variant& variant);

/// The card for people. Disagreements between declared and measured stand out.
std::string card_text(const nlohmann::ordered_json& card, bool color);

}  // namespace lw
