// RoPE as every rotary scheme uses it: its options as a config states them, and the rotation of queries and keys.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "encodings/parts/rotation.h"
#include "encodings/position_encoding.h"
#include "encodings/rope_scaling/rope_scaling.h"

namespace lw {

class RopeRotation {
 public:
  RopeRotation(const RopeBasis& basis, std::shared_ptr<const RopeScaling> scaling, RotaryLayout layout)
      : basis_(basis), scaling_(std::move(scaling)), layout_(layout) {}

  /// Reads `rope_theta`, `partial_rotary_factor`, `layout` and `scaling`, which is added after training.
  /// @param layer_type the type of layers that `scaling` is for; the block then holds their base too. "": all layers.
  /// @throws Error(kConfig) with the place of a bad value.
  static RopeRotation read(ConfigNode& options, const ModelShape& shape,
                           RotaryLayout default_layout = RotaryLayout::kHalf, const std::string& layer_type = "");

  /// Queries or keys rotated to `pos_BT`; queries are also multiplied by the scaling's query factor. Tables are made
  /// once a pass. @param pos_BT int64 or float64; one of the site's own tensors where possible, so that its table is
  /// found again. @param x_BHTE [B, H, T, E].
  at::Tensor rotate_query(const at::Tensor& x_BHTE, const at::Tensor& pos_BT, const Site& at) const;
  at::Tensor rotate_key(const at::Tensor& x_BHTE, const at::Tensor& pos_BT, const Site& at) const;

  /// Frequencies change with the length of the sequence, so keys that were rotated earlier become invalid.
  bool depends_on_length() const { return changes_after_.has_value(); }
  /// As the scaling's, where its table does change; a method may have nothing to change in these pairs.
  std::optional<int64_t> changes_after() const { return changes_after_; }
  /// The longest sequence whose frequencies are all finite and above 0; nullopt when there is no bound.
  std::optional<int64_t> max_length() const { return max_length_; }
  /// The message for a position in a longer one.
  std::string undefined_position(int64_t position) const;
  /// The setting at `length` tokens, for the position card.
  std::vector<CardFact> facts(int64_t length) const;
  const RopeBasis& basis() const { return basis_; }
  RotaryLayout layout() const { return layout_; }
  /// @throws Error(kUnsupported) where a frequency is not finite or not above 0.
  RopeTable table(int64_t length) const;

 private:
  /// Finds where the table changes and where it ends. @returns what is wrong with it from the start, or "".
  std::string settle();
  at::Tensor rotation(const Site& at, const at::Tensor& pos_BT, at::ScalarType type) const;

  RopeBasis basis_;
  std::shared_ptr<const RopeScaling> scaling_;
  RotaryLayout layout_;
  std::optional<int64_t> changes_after_, max_length_;
};

}  // namespace lw
