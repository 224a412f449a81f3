// `lengthwise inspect PATH` of a real checkpoint: its model, its position card, what was read from where.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace lw {

/// A folder, or a file that is no YAML config.
bool is_checkpoint_path(const std::string& path);

/// Prints to stdout. @param pre as CheckpointOptions has it. @param length tokens at which the position setting is
/// shown; 0: the training length.
/// @returns the exit code: kExitDisagrees when a measured property is not the declared one.
int inspect_checkpoint(const std::string& path, const std::vector<std::string>& sets, const std::string& pre,
                       int64_t length, bool json);

}  // namespace lw
