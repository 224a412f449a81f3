// Which distances of a suite stand together in one bin.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "reports/index.h"

namespace lw {

/// The distance bins of one suite at one length, the same for every setting. Distances on a grid (each is asked equally
/// often) have a bin each. Else powers of two, the last of them cut in half where the farthest distance lies in its
/// upper half: evidence at the start of a haystack never shares a bin with evidence in its middle.
class DistanceBins {
 public:
  /// @param edges increasing lower ends; where there are any, they alone count.
  DistanceBins(const Manifest& manifest, const RecordIndex& index, size_t suite, int64_t length,
               std::vector<int64_t> edges);
  Bin of(int64_t distance) const;

 private:
  std::vector<int64_t> edges_;
  bool grid_ = false;
  std::optional<int64_t> cut_;  // inside a power of two
};

/// The bin that holds `value` (>= 0): [0, 1), [1, 2), [2, 4), ... or between the edges, doubling beyond the last.
Bin bin_of(int64_t value, const std::vector<int64_t>& edges);

}  // namespace lw
