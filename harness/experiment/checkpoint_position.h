// How a config's `position:` section changes the scheme of a checkpoint: it keeps, replaces or extends it.
#pragma once
#include <string>
#include <vector>

#include "harness/base/tree.h"

namespace lw {

/// `position.checkpoint_scaling`: what a `scaling` block does to the checkpoint's own scaling.
inline constexpr const char* kScalingOverKey = "checkpoint_scaling";

/// The section in force. Keys of `given` replace the checkpoint's; another `scheme` replaces them all. Where the
/// checkpoint's frequencies are scaled already (rope_freqs.weight, LongRoPE's lists, Llama 3, YaRN, ...) and `given`
/// has a `scaling` too, `checkpoint_scaling` must state whether that takes the place of the checkpoint's (`replace`) or
/// is applied to the frequencies that the checkpoint's gives (`compose`: see rope_type composed).
/// @param own resolved. @param given null where nothing changes.
/// @throws Error(kConfig) at the key's place.
Tree merge_position(const Tree& own, const Tree& given);

struct PositionChange {
  std::string key;        // "scaling.factor"
  std::string own, used;  // "" where there is none
};
/// Every value that differs, by key.
std::vector<PositionChange> position_changes(const Tree& own, const Tree& used);

}  // namespace lw
