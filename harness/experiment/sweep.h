// One config into many: the named overrides and axes of `sweep:`.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "harness/base/tree.h"

namespace lw {

/// The whole config of each variant, without `sweep`; a single one with an empty name when there is no sweep.
/// Named overrides are alternatives; each `axis:` multiplies them by its values.
/// @throws Error(kConfig) on a malformed entry or two variants of one name.
std::vector<std::pair<std::string, Tree>> expand_sweep(const Tree& config);

/// The inverse: a config of what all variants share, with a `sweep` of the rest written out in full.
Tree fold_sweep(const std::vector<std::pair<std::string, Tree>>& variants);

}  // namespace lw
