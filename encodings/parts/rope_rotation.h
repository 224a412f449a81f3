// What every rotary scheme shares: the options of RoPE as a config states them, and the turning of channels.
#pragma once
#include <memory>
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

  /// Reads `rope_theta`, `partial_rotary_factor`, `layout` and `scaling`.
  /// @throws Error(kConfig) with the place of a value that cannot be.
  static RopeRotation read(ConfigNode& options, const ModelShape& shape,
                           RotaryLayout default_layout = RotaryLayout::kHalf);

  /// Queries or keys turned to `pos_BT`, and queries times the scaling's query factor. Tables are made once a
  /// pass. @param pos_BT int64 or float64; one of the site's own tensors where it can be, so that it is found
  /// again. @param x_BHTE [B, H, T, E].
  at::Tensor turn_query(const at::Tensor& x_BHTE, const at::Tensor& pos_BT, const Site& at) const;
  at::Tensor turn_key(const at::Tensor& x_BHTE, const at::Tensor& pos_BT, const Site& at) const;

  /// Frequencies change with the sequence, so that keys that were turned earlier are wrong later.
  bool depends_on_length() const { return scaling_->depends_on_length(); }
  /// The setting at `length` tokens, for the position card.
  std::vector<CardFact> facts(int64_t length) const;
  const RopeBasis& basis() const { return basis_; }
  RotaryLayout layout() const { return layout_; }
  RopeTable table(int64_t length) const { return scaling_->table(basis_, length); }

 private:
  at::Tensor rotation(const Site& at, const at::Tensor& pos_BT, at::ScalarType type) const;
  std::vector<RopeTable> tables_by_row(const at::Tensor& key_pos_BK) const;

  RopeBasis basis_;
  std::shared_ptr<const RopeScaling> scaling_;
  RotaryLayout layout_;
};

}  // namespace lw
