// Position cards for people to read.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace lw {

/// The card for people. Disagreements between declared and measured stand out.
std::string card_text(const nlohmann::ordered_json& card, bool color);

}  // namespace lw
