// Half-open ranges of tokens: distances, offsets.
#pragma once
#include <compare>
#include <cstdint>
#include <vector>

namespace lw {

/// low <= value < high.
struct Bin {
  int64_t low = 0, high = 0;
  auto operator<=>(const Bin&) const = default;
};

/// [low, high) in JSON.
inline std::vector<int64_t> field_value(const Bin& bin) { return {bin.low, bin.high}; }

}  // namespace lw
