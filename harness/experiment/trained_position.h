// Which parts of a position section are put on after training, so that settings that differ in them alone share
// their weights: the one place that says so.
#pragma once
#include <string>
#include <vector>

#include "encodings/position_encoding.h"
#include "harness/base/tree.h"

namespace lw {

/// The resolved section that weights are trained under when train.with_scaling is false: without
/// - `scaling` of RoPE and of what turns like it (per layer type: all but its base and rotary share; and but for
///   `proportional`, which chooses the pairs that turn at all),
/// - a `query_temperature` without parameters: it is 1 inside the original length,
/// - a learned table's `extension` with `extended_positions` and `factor`,
/// - `randomized.evaluation`,
/// and with the scheme's EncodingInfo::trained_as in place of the scheme. Kinds of `layered` likewise.
/// @param position a resolved section.
Tree trained_position(const Tree& position, const ModelShape& shape);

/// What that leaves out, in words: {"linear x8", "log_n temperature"}. Empty when training and evaluation have
/// the same positions.
std::vector<std::string> put_on_after_training(const Tree& position);

/// An encoding from a resolved position section, as it stands.
std::shared_ptr<PositionEncoding> build_whole_encoding(const Tree& position, const ModelShape& shape);

}  // namespace lw
