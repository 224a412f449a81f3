// What a config's `position:` section makes of the scheme that a checkpoint comes with: keeps it, replaces it or
// puts something on it. The one place that says how.
#pragma once
#include <string>
#include <vector>

#include "harness/base/tree.h"

namespace lw {

/// `position.checkpoint_scaling`: what a `scaling` block does to a scaling that the checkpoint has of its own.
inline constexpr const char* kScalingOverKey = "checkpoint_scaling";

/// The section in force. Keys of `given` replace the checkpoint's; another `scheme` replaces all of them. Where the
/// checkpoint's frequencies are scaled already (rope_freqs.weight, LongRoPE's lists, Llama 3, YaRN, ...) and
/// `given` has a `scaling` of its own, `checkpoint_scaling` must say whether it takes the place of the former
/// (`replace`) or works on the frequencies that the former gives (`compose`: see rope_type composed).
/// @param own resolved. @param given null where nothing is changed.
/// @throws Error(kConfig) at the key's place.
Tree position_over(const Tree& own, const Tree& given);

struct PositionChange {
  std::string key;        // "scaling.factor"
  std::string own, used;  // "" where there is none
};
/// Every value that differs, by key.
std::vector<PositionChange> position_changes(const Tree& own, const Tree& used);

}  // namespace lw
