// The `model` section of a config that names a checkpoint, and what its position section is laid on.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "encodings/position_setting.h"
#include "harness/base/tree.h"
#include "harness/experiment/checkpoint_source.h"
#include "harness/results/checkpoint_info.h"

namespace lw {

class ConfigNode;
struct Variant;

/// A checkpoint as one variant uses it.
struct CheckpointUse {
  std::shared_ptr<const CheckpointSource> source;
  int64_t train_length = 0;      // in force
  std::string dtype;             // of weights and arithmetic
  PositionSetting own_position;  // the checkpoint's
};

/// Reads `checkpoint`, `dtype`, `train_length` and `pre`. Nothing where `checkpoint` is absent.
/// @throws Error(kConfig), with what is wrong with the checkpoint.
std::optional<CheckpointUse> read_checkpoint(ConfigNode& model, CheckpointSources& sources);

/// A config whose `position` section is the one in force (position_over), where it names a checkpoint that opens;
/// else as it stands: read_checkpoint() says what is wrong.
Tree with_whole_position(const Tree& config, CheckpointSources& sources);

/// Makes a resolved section mean the same when it is laid on the checkpoint again: `checkpoint_scaling: replace`
/// where the scaling is another, null for what was left out.
void mark_changes(const CheckpointUse& checkpoint, Tree& position);

/// What differs from the checkpoint's own position, in words: {"yarn x4"}, {"rope_theta 20000"}. Empty: nothing.
std::vector<std::string> changes_in_words(const CheckpointUse& checkpoint, const PositionSetting& position);

/// What reports say of it: what was declared, what is used, and where each comes from.
CheckpointInfo checkpoint_info(const Variant& variant);

}  // namespace lw
