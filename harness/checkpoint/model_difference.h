// The differences between what two models compute. They show whether a family of checkpoints can express a model.
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

/// Every difference between what two models compute, ordered so that the first explains the most. How a switch is
/// stated does not matter: an absent bias flag equals one that states the default. Weights and training length are not
/// compared.
/// @throws Error of either position section.
std::vector<ModelDifference> differences(const FamilyModel& ours, const FamilyModel& theirs);

/// The position section with its defaults filled in, as the model reads it. @throws Error(kConfig).
Tree resolved_position(const FamilyModel& model);

}  // namespace lw
