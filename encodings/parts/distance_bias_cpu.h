// The two loops of a distance bias on the CPU: adding it to logits, and its gradient.
#pragma once
#include <cstdint>

#include "encodings/tensor.h"

namespace lw {

/// Which bias of a table belongs to which pair of query and key.
struct BiasPlaces {
  at::Tensor query_pos_BQ, key_pos_BK;  // int64, on the CPU; B may be 1 for all rows
  int64_t least;                        // the first distance of the table, of the key ahead of the query
};

/// logits_BHQK + table_HN at each pair's distance. Both float32 or both float64; computed in that type.
at::Tensor add_bias_on_cpu(const at::Tensor& logits_BHQK, const at::Tensor& table_HN, const BiasPlaces& places);

/// The sum of `grad_BHQK` over all pairs of each distance, [H, distances]: summed in float64, given in grad's type.
at::Tensor sum_by_distance_on_cpu(const at::Tensor& grad_BHQK, int64_t distances, const BiasPlaces& places);

}  // namespace lw
