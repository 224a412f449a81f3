// Small random attention in which only the positions vary: what the position card and its claims measure on.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "encodings/tensor.h"
#include "harness/model/attention.h"

namespace lw {

/// Above rounding in float64, below any effect of a position.
inline constexpr double kMeasureTolerance = 1e-9;

/// Normal draws, the same on every machine. float64.
at::Tensor measure_draws(at::IntArrayRef sizes, uint64_t seed);
/// begin .. begin+count-1 as [1, count], int64.
at::Tensor measure_positions(int64_t begin, int64_t count);
/// Largest absolute difference; infinite where either is not finite.
double measure_gap(const at::Tensor& a, const at::Tensor& b);

/// In float64 with drawn parameters: zero tables would hide what they do.
std::shared_ptr<PositionEncoding> fresh_encoding(const MakeEncoding& make);

/// Queries and keys as a scheme makes them, and what attention sees of them.
struct SiteLogits {
  at::Tensor q_BHQE, k_BHKE;  // rotated
  at::Tensor products_BHQK;   // of the two, over the divisor
  at::Tensor logits_BHQK;     // after adjust_logits
};
/// The hooks that make logits, one after the other, at one site. @param divisor of the products.
SiteLogits site_logits(PositionEncoding& encoding, const at::Tensor& q_BHQE, const at::Tensor& k_BHKE, const Site& at,
                       double divisor = 1);
/// One query, the last of `count` tokens, on keys 0, 1, ... count-1 positions back: [H, count].
/// @param x_1HTE queries and keys of all tokens.
at::Tensor last_query_logits(PositionEncoding& encoding, const at::Tensor& x_1HTE, int64_t layer);

/// `count` increasing positions from 0 to `last`, as [1, count]: near each other at first, then ever farther apart.
at::Tensor spread_positions(int64_t count, int64_t last);

/// One attention layer with fixed weights over `length` random embeddings, float64. Its tokens stand at
/// spread_positions(length, last), so that few of them reach past windows, chunks and the training length.
class MeasuredAttention {
 public:
  MeasuredAttention(const ModelShape& shape, int64_t length, int64_t last);

  int64_t length() const { return length_; }
  const ModelShape& shape() const { return shape_; }
  const at::Tensor& x_1TD() const { return x_; }
  enum class Role { kQuery, kKey, kValue };
  /// Projected to heads: [1, H, T, E].
  at::Tensor heads(const at::Tensor& x_1TD, Role role) const;

  /// The whole sequence at once, or in tiles of queries: [1, H, T, E].
  at::Tensor full(PositionEncoding& encoding, int64_t layer, int64_t tile = 0) const;
  /// One token after the other over a key cache: each key as rotate_key() gave it on arrival, or, with `raw`,
  /// kept as it is and rotated anew at every step.
  at::Tensor token_by_token(PositionEncoding& encoding, int64_t layer, bool raw) const;
  /// How far things move when query and key move alike. One token repeated stands at half as many spread
  /// positions and again at those + shift of a single pass, so that content and length are the same at both places.
  struct Moved {
    double logits = 0;       // as attention sees them
    double dot_product = 0;  // of rotated queries and keys alone, before adjust_logits
  };
  Moved moved_by(PositionEncoding& encoding, int64_t layer, int64_t shift) const;

 private:
  AttentionInput input(PositionEncoding& encoding, int64_t layer, int64_t begin, int64_t count) const;

  ModelShape shape_;
  int64_t length_, last_;
  at::Tensor pos_1T_, x_, wq_, wk_, wv_;
};

}  // namespace lw
