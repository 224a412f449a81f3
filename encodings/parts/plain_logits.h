// What schemes say that leave logits alone, so that attention may run in one fused kernel that never holds any.
#pragma once
#include "encodings/position_encoding.h"

namespace lw {

/// A second base of schemes whose adjust_logits and adjust_output do nothing, in this layer or in all.
class PlainLogits {
 public:
  virtual ~PlainLogits() = default;
  virtual bool plain_logits(int64_t /*layer*/) const { return true; }
};

/// False for schemes that do not say.
inline bool has_plain_logits(const PositionEncoding& encoding, int64_t layer) {
  const auto* plain = dynamic_cast<const PlainLogits*>(&encoding);
  return plain != nullptr && plain->plain_logits(layer);
}

}  // namespace lw
