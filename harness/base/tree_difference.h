// What differs between two configs, key by key.
#pragma once
#include <string>
#include <vector>

#include "harness/base/tree.h"

namespace lw {

struct TreeDifference {
  std::string key;            // "train.steps", "sweep.rope.position"
  std::string first, second;  // the values in one line, cut when long; "nothing" where the key is absent
};

/// In order of the first tree, then of what the second has alone. Entries of a list of named maps (`sweep`) go by their
/// names; other lists are compared whole.
std::vector<TreeDifference> tree_differences(const Tree& first, const Tree& second);

}  // namespace lw
