// How many bytes tensors take while something runs: a counting layer under LibTorch's CPU allocator.
#pragma once
#include <cstdint>
#include <memory>

namespace lw {

/// Counts what this thread allocates for CPU tensors from its construction to its destruction. Meters do not nest.
/// What was allocated before counts for nothing, also when it is freed meanwhile. Counts are of bytes asked for, so
/// they are the same on every run of one build.
class MemoryMeter {
 public:
  MemoryMeter();
  ~MemoryMeter();
  MemoryMeter(const MemoryMeter&) = delete;
  MemoryMeter& operator=(const MemoryMeter&) = delete;

  /// The most bytes that were alive at once.
  int64_t peak_bytes() const;

  struct Count;

 private:
  std::shared_ptr<Count> count_;
};

}  // namespace lw
