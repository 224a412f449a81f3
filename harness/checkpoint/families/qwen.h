// What Qwen2 and Qwen3 share.
#pragma once
#include <optional>

#include "harness/checkpoint/family.h"

namespace lw {

/// @param head_width the family's default; width / heads when absent.
FamilyModel read_qwen(FamilyConfig& config, const TensorSource& source, std::optional<int64_t> head_width);

/// Shape, windows and rotation.
void export_qwen(const FamilyModel& model, ConfigWriter& config);

}  // namespace lw
