// Position cards for people to read.
#pragma once
#include <string>

#include "harness/results/position_card.h"

namespace lw {

/// Disagreements between declared and measured stand out.
std::string card_text(const PositionCard& card, bool color);

}  // namespace lw
