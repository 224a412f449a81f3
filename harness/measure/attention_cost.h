// What one attention layer costs under a position scheme: bytes, which are the same on every run, and seconds,
// which are not.
#pragma once
#include <functional>

#include "encodings/tensor.h"
#include "harness/model/attention.h"

namespace lw {

/// One call of a layer: token embeddings get their positions, then attention over given queries, keys and values.
/// Projections are left out, since they are alike for all schemes, and so is the fused kernel, which some have to
/// themselves. float32, one sequence, layer 0.
class AttentionLoad {
 public:
  /// @param tile queries per step; 0: all at once.
  /// @param may_fuse as evaluation does, with a kernel that some schemes can use and that hides what each costs.
  AttentionLoad(const ModelShape& shape, int64_t length, int64_t tile, bool may_fuse = false);

  void forward(PositionEncoding& encoding) const;
  /// Forward, and backward to embeddings, queries, keys, values and the encoding's parameters.
  void train(PositionEncoding& encoding) const;
  int64_t length() const { return length_; }

 private:
  at::Tensor run(PositionEncoding& encoding) const;

  ModelShape shape_;
  int64_t length_, tile_;
  bool may_fuse_;
  at::Tensor x_1TD_, q_1HTE_, k_1HTE_, v_1HTE_, pos_1T_;
};

double seconds_of(const std::function<void()>& work);
/// The most bytes that tensors made by `work` held at once.
int64_t peak_bytes_of(const std::function<void()>& work);

/// Bytes of keys, values and positions that all layers keep a token in float32; 0 where nothing may be kept.
int64_t key_cache_bytes_per_token(const ModelShape& shape, PositionEncoding& encoding);

}  // namespace lw
