// The position card of a position setting.
#pragma once
#include "encodings/position_setting.h"
#include "harness/results/position_card.h"

namespace lw {

/// @param length tokens at which the state is given; the training length when 0.
/// @param deployed tokens that the setting is to reach; `length` when 0.
PositionCard position_card_of(const PositionSetting& setting, int64_t length, int64_t deployed);

}  // namespace lw
