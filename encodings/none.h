// Attention without positions: a scheme of its own, and the scheme of single layers without positions.
#pragma once
#include "encodings/position_encoding.h"

namespace lw {

class NoPositions final : public PositionEncoding {
 public:
  bool shift_invariant() const override { return true; }
  bool touches_logits(int64_t) const override { return false; }
};

}  // namespace lw
