// Whether a position setting suits a checkpoint's weights.
#pragma once
#include <string>

#include "encodings/position_setting.h"
#include "harness/checkpoint/pretrained.h"

namespace lw {

/// Schemes of one name have one set of parameters, in which the checkpoint's position tensors have their place.
bool keeps_position_tensors(const FamilyModel& own, const PositionSetting& position);

/// What forbids `position` on the checkpoint: learned parameters that it has no values for. "" where nothing does.
/// @param encoding built from it.
std::string position_misfit(const Checkpoint& checkpoint, const PositionSetting& position,
                            const PositionEncoding& encoding);

}  // namespace lw
