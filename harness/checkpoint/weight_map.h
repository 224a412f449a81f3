// Which parameter of ours is made from which tensor of a checkpoint, and how. Every parameter has exactly one
// origin and every tensor one use; what is left over on either side is an error with its name.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "harness/checkpoint/tensor_source.h"

namespace lw {

class Module;

using TensorChange = std::function<at::Tensor(const at::Tensor&)>;

struct WeightRule {
  std::string ours, theirs;
  TensorChange change;  // null: as it is
  std::string how;      // "rows 0 to 63", "transposed"; "" when unchanged
};

class WeightMap {
 public:
  /// @param prefix of the names of the model's body, which files of a bare body leave out: "model.".
  explicit WeightMap(std::string prefix = "") : prefix_(std::move(prefix)) {}

  /// `theirs` is the name in the file, without the prefix.
  void add(std::string ours, std::string theirs, TensorChange change = nullptr, std::string how = "");
  /// Tensors that are known to change nothing: a name in which '*' stands for anything.
  void ignore(std::string pattern) { ignored_.push_back(std::move(pattern)); }
  /// A tensor that equals another one, since the two are tied: used for nothing, refused if it differs.
  void tied(std::string theirs, std::string same_as);

  const std::vector<WeightRule>& rules() const { return rules_; }
  /// The name under which the file has it; "" when it has not.
  std::string name_in(const TensorSource& source, const std::string& theirs) const;
  bool is_ignored(const std::string& name) const;
  const std::vector<std::pair<std::string, std::string>>& tied_pairs() const { return tied_; }

 private:
  std::string prefix_;
  std::vector<WeightRule> rules_;
  std::vector<std::string> ignored_;
  std::vector<std::pair<std::string, std::string>> tied_;
};

struct LoadedWeights {
  struct Line {
    std::string ours, theirs, how;
  };
  std::vector<Line> used;
  std::vector<std::string> ignored;   // tensors of the file that change nothing
  std::vector<std::string> left_out;  // of the position scheme that was replaced
};

/// Fills every parameter of `model`.
/// @param position_replaced the checkpoint's own position scheme is not in use: its tensors are left out, and
///                          the parameters of the one in use keep what they hold.
/// @throws Error(kInput) for a tensor that is missing, left over, of another shape or not finite.
LoadedWeights load_weights(Module& model, const WeightMap& map, const TensorSource& source,
                           bool position_replaced = false);

/// Fills every parameter of a position scheme alone, which stands or is to stand at `position` in the model that the
/// map is of. The same errors.
void load_position_weights(Module& encoding, const WeightMap& map, const TensorSource& source);

}  // namespace lw
