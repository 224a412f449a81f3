// Whether a position section suits a checkpoint's weights.
#pragma once
#include <string>

#include "encodings/position_encoding.h"
#include "harness/checkpoint/pretrained.h"

namespace lw {

/// Schemes of one name have one set of parameters, in which the checkpoint's position tensors have their place.
bool keeps_position_tensors(const FamilyModel& own, const Tree& position);

/// What forbids putting `encoding`, made from `position`, on the checkpoint: learned parameters that it has no values
/// for. "" where nothing does.
std::string why_not_put_on(const Checkpoint& checkpoint, const Tree& position, const PositionEncoding& encoding);

}  // namespace lw
