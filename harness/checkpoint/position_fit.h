// Whether a position setting suits a checkpoint's weights.
#pragma once
#include <string>

#include "encodings/position_setting.h"
#include "harness/checkpoint/pretrained.h"

namespace lw {

/// Whether the checkpoint's position tensors are used: schemes of the same name have the same parameters.
bool keeps_position_tensors(const FamilyModel& own, const PositionSetting& position);

/// Why the checkpoint cannot have `position`: learned parameters that it holds no values for. "" where it can.
/// @param encoding built from `position`.
std::string position_misfit(const Checkpoint& checkpoint, const PositionSetting& position,
                            const PositionEncoding& encoding);

}  // namespace lw
