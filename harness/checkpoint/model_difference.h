// Where two models compute different things: what tells whether a family of checkpoints can express a model.
#pragma once
#include <string>
#include <vector>

namespace lw {

struct FamilyModel;
struct Tree;

/// One switch. Keys are those of a config where it has the switch: "model.gated", "position.scheme".
struct ModelDifference {
  std::string key;
  std::string found;    // in the first model
  std::string allowed;  // in the second
};

/// Every difference between what two models compute, in an order in which the first explains the most. How a switch
/// is stated does not count: an absent bias flag and one that says the same are equal. Weights are not looked at, nor
/// is the training length.
/// @throws Error of either position section.
std::vector<ModelDifference> differences(const FamilyModel& ours, const FamilyModel& theirs);

/// The position section with its defaults filled in, as the model reads it. @throws Error(kConfig).
Tree resolved_position(const FamilyModel& model);

}  // namespace lw
