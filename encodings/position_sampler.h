// Randomised positions: a sequence gets random positions in increasing order in place of 0, 1, 2, ..., so that training
// sees positions far beyond its length.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "encodings/tensor.h"

namespace lw {

class ConfigNode;

class PositionSampler {
 public:
  PositionSampler(int64_t max_position, int64_t seed, bool drawn_in_evaluation)
      : max_position_(max_position), seed_(seed), drawn_in_evaluation_(drawn_in_evaluation) {}

  /// Reads `position.randomized`; null where it is absent.
  /// @throws Error(kConfig).
  static std::shared_ptr<const PositionSampler> read(ConfigNode& position);

  /// For each row, `count` distinct positions in [0, max_position), increasing: [B, count], int64. A function of the
  /// seed and the row's key alone. @param key_BT int64: the token ids of the rows.
  /// @throws Error(kUnsupported) when count exceeds max_position.
  [[nodiscard]] at::Tensor draw(const at::Tensor& key_BT, int64_t count) const;

  int64_t max_position() const { return max_position_; }
  /// False: in evaluation tokens are at 0, 1, 2, ...
  bool drawn_in_evaluation() const { return drawn_in_evaluation_; }
  /// The message for a `count` above the number of positions to draw from.
  [[nodiscard]] std::string too_long(int64_t count) const;
  /// How tokens are numbered, for the position card.
  [[nodiscard]] std::string numbering() const;

 private:
  int64_t max_position_, seed_;
  bool drawn_in_evaluation_;
};

}  // namespace lw
