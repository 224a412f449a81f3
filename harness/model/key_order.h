// Which keys the queries of one attention call may see, found from the positions before any mask is made.
#pragma once
#include "encodings/tensor.h"

namespace lw {

class KeyOrder {
 public:
  /// @param query_pos_BQ, key_pos_BK int64, each with B rows or one for all.
  KeyOrder(const at::Tensor& query_pos_BQ, const at::Tensor& key_pos_BK);

  /// Some key is padding.
  [[nodiscard]] bool padded() const;
  /// Under a causal mask, query i sees the keys 0 .. i and no others.
  [[nodiscard]] bool in_order() const;
  /// in_order(), keys have consecutive positions, and each query has the position of its last key.
  [[nodiscard]] bool consecutive() const;
  /// Under a causal mask, every query sees every key.
  [[nodiscard]] bool all_seen() const;
  /// Under a causal mask, no query of begin .. begin + count - 1 sees a key from here on. At least 1.
  [[nodiscard]] int64_t seen_until(int64_t begin, int64_t count) const;

 private:
  const int64_t* queries(int64_t row) const;
  const int64_t* keys(int64_t row) const;

  at::Tensor query_pos_BQ_, key_pos_BK_;  // on the CPU, contiguous
  int64_t rows_, queries_, keys_;
};

}  // namespace lw
