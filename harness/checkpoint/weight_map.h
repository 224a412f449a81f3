// Which parameter is made from which tensor of a checkpoint, and how. Every parameter has exactly one origin and every
// tensor one use; anything left over on either side is an error that names it. Applied backwards, the same map gives
// the tensors of a file: what can be loaded can be exported.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/checkpoint/tensor_source.h"
#include "harness/checkpoint/weight_change.h"

namespace lw {

class Module;

struct WeightRule {
  std::string ours, theirs;
  WeightChange change = {};
  bool in_body = true;  // files of the whole model have it under the map's prefix
};

class WeightMap {
 public:
  /// @param prefix of the names of the model's body, which files of a bare body leave out: "model.".
  explicit WeightMap(std::string prefix = "") : prefix_(std::move(prefix)) {}

  /// `theirs` is the name in the file, without the prefix.
  void add(std::string ours, std::string theirs, WeightChange change = {});
  /// The same for tensors outside the body, whose names never have the prefix: output weights.
  void add_outside(std::string ours, std::string theirs);
  /// Tensors that are known to have no effect. '*' matches anything.
  void ignore(std::string pattern) { ignored_.push_back(std::move(pattern)); }
  /// A tensor that is tied to another one: not used, refused if it differs, not exported.
  void tied(std::string theirs, std::string same_as);
  /// Another name of a tensor that a rule names, found in files beside it or in its place. Where both are present, the
  /// rule's name counts; both are exported.
  void also_named(std::string theirs, std::string other);

  const std::vector<WeightRule>& rules() const { return rules_; }
  /// The name under which the file holds the tensor; "" when it does not.
  std::string name_in(const TensorSource& source, const std::string& theirs) const;
  bool is_ignored(const std::string& name) const;
  const std::vector<std::pair<std::string, std::string>>& tied_pairs() const { return tied_; }
  const std::vector<std::pair<std::string, std::string>>& other_names() const { return others_; }
  /// The name under which a rule's tensor is exported.
  std::string exported_name(const WeightRule& rule) const { return (rule.in_body ? prefix_ : "") + rule.theirs; }

 private:
  std::string prefix_;
  std::vector<WeightRule> rules_;
  std::vector<std::string> ignored_;
  std::vector<std::pair<std::string, std::string>> tied_, others_;
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
LoadedWeights fill_weights(Module& model, const WeightMap& map, const TensorSource& source,
                           bool position_replaced = false);

/// Fills only the parameters of a position scheme. @param map of the whole model, where the scheme is `position`. The
/// same errors.
void fill_position_weights(Module& encoding, const WeightMap& map, const TensorSource& source);

/// The tensors of a file from which fill_weights() makes the same model, by name, in float32 on the CPU. Every
/// parameter of `model` must have a rule.
std::map<std::string, at::Tensor> exported_tensors(const Module& model, const WeightMap& map);

}  // namespace lw
