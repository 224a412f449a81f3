// The `model` section of a config that names a checkpoint, and how its position section changes the checkpoint's.
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

/// The config with the `position` section that is in force on its checkpoint (merge_position()). Unchanged without a
/// checkpoint, or with one that does not open: read_checkpoint() reports that.
Tree with_whole_position(const Tree& config, CheckpointSources& sources);

/// Makes a resolved section give the same when it is merged with the checkpoint's again: `checkpoint_scaling: replace`
/// where the scaling differs, null for what was left out.
void mark_changes(const CheckpointUse& checkpoint, Tree& position);

/// What differs from the checkpoint's own position, in words: {"yarn x4"}, {"rope_theta 20000"}. Empty: nothing.
std::vector<std::string> changes_in_words(const CheckpointUse& checkpoint, const PositionSetting& position);

/// What reports state about it: declared and used values, each with its origin.
CheckpointInfo checkpoint_info(const Variant& variant);

}  // namespace lw
