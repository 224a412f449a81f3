#include "harness/model/key_order.h"

#include <algorithm>

#include "encodings/position_encoding.h"

namespace lw {

KeyOrder::KeyOrder(const at::Tensor& query_pos_BQ, const at::Tensor& key_pos_BK)
    : query_pos_BQ_(query_pos_BQ.to(at::kCPU).contiguous()),
      key_pos_BK_(key_pos_BK.to(at::kCPU).contiguous()),
      rows_(std::max(query_pos_BQ.size(0), key_pos_BK.size(0))),
      queries_(query_pos_BQ.size(1)),
      keys_(key_pos_BK.size(1)) {}

const int64_t* KeyOrder::queries(int64_t row) const {
  return query_pos_BQ_.data_ptr<int64_t>() + (query_pos_BQ_.size(0) == 1 ? 0 : row) * queries_;
}

const int64_t* KeyOrder::keys(int64_t row) const {
  return key_pos_BK_.data_ptr<int64_t>() + (key_pos_BK_.size(0) == 1 ? 0 : row) * keys_;
}

bool KeyOrder::padded() const {
  const int64_t* first = keys(0);
  return std::any_of(first, first + key_pos_BK_.numel(), [](int64_t p) { return p <= kPadding; });
}

bool KeyOrder::in_order() const {
  if (queries_ == 0 || queries_ > keys_) return false;
  for (int64_t row = 0; row < rows_; ++row) {
    const int64_t *q = queries(row), *k = keys(row);
    if (k[0] <= kPadding) return false;
    for (int64_t i = 1; i < keys_; ++i)
      if (k[i] <= k[i - 1]) return false;
    for (int64_t i = 0; i < queries_; ++i)
      if (q[i] < k[i] || (i + 1 < keys_ && q[i] >= k[i + 1])) return false;
  }
  return true;
}

bool KeyOrder::consecutive() const {
  if (!in_order()) return false;
  for (int64_t row = 0; row < rows_; ++row)
    for (int64_t i = 0; i < queries_; ++i)
      if (keys(row)[i] != keys(row)[0] + i || queries(row)[i] != keys(row)[i]) return false;
  return true;
}

bool KeyOrder::all_seen() const {
  for (int64_t row = 0; row < rows_; ++row) {
    const int64_t *q = queries(row), *k = keys(row);
    if (keys_ == 0 || queries_ == 0 || *std::max_element(k, k + keys_) > *std::min_element(q, q + queries_))
      return false;
  }
  return !padded();
}

int64_t KeyOrder::seen_until(int64_t begin, int64_t count) const {
  int64_t until = 1;
  for (int64_t row = 0; row < rows_; ++row) {
    const int64_t *q = queries(row) + begin, *k = keys(row);
    const int64_t latest = *std::max_element(q, q + count);
    int64_t end = keys_;
    while (end > until && k[end - 1] > latest) --end;
    until = std::max(until, end);
  }
  return std::min(until, keys_);
}

}  // namespace lw
