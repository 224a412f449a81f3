#include "harness/model/memory_meter.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "harness/base/error.h"

namespace lw {

struct MemoryMeter::Count {
  std::atomic<int64_t> live{0}, peak{0};

  void add(int64_t bytes) {
    const int64_t now = live += bytes;
    if (now > peak) peak = now;
  }
};

namespace {

thread_local std::shared_ptr<MemoryMeter::Count> counting;  // null: nobody asks

/// One allocation and who counts it: it may be freed after the meter is gone, and on another thread.
struct Block {
  c10::DataPtr inner;
  int64_t bytes;
  std::shared_ptr<MemoryMeter::Count> count;
};

void release(void* block_pointer) {
  const std::unique_ptr<Block> block(static_cast<Block*>(block_pointer));
  block->count->add(-block->bytes);
}

/// Hands everything on to the allocator that was there. LibTorch 2.3 took the const off allocate() and 2.2 added
/// copy_data(), so neither is marked as an override: one of each overrides in every version.
class CountingAllocator final : public c10::Allocator {
 public:
  explicit CountingAllocator(c10::Allocator* inner) : inner_(inner) {}

  // NOLINTBEGIN(modernize-use-override,cppcoreguidelines-explicit-virtual-functions)
  c10::DataPtr allocate(size_t bytes) { return counted(bytes); }
  c10::DataPtr allocate(size_t bytes) const { return counted(bytes); }
  void copy_data(void* to, const void* from, std::size_t bytes) const {
    std::copy_n(static_cast<const char*>(from), bytes, static_cast<char*>(to));
  }
  // NOLINTEND(modernize-use-override,cppcoreguidelines-explicit-virtual-functions)

 private:
  c10::DataPtr counted(size_t bytes) const {
    c10::DataPtr inner = inner_->allocate(bytes);
    if (counting == nullptr || bytes == 0) return inner;
    void* const data = inner.get();
    const c10::Device device = inner.device();
    counting->add(static_cast<int64_t>(bytes));
    auto block = std::make_unique<Block>(Block{std::move(inner), static_cast<int64_t>(bytes), counting});
    return {data, block.release(), &release, device};
  }

  c10::Allocator* inner_;
};

/// Once, and for good: SetAllocator() keeps no reference count, so a layer may not go while tensors live.
void install() {
  static CountingAllocator allocator(c10::GetAllocator(c10::kCPU));
  static const bool installed = [] {
    for (int priority = 0; priority < 256 && c10::GetAllocator(c10::kCPU) != &allocator; ++priority)
      c10::SetAllocator(c10::kCPU, &allocator, static_cast<uint8_t>(priority));
    return c10::GetAllocator(c10::kCPU) == &allocator;
  }();
  LW_CHECK(installed, "LibTorch kept its own CPU allocator");
}

}  // namespace

MemoryMeter::MemoryMeter() : count_(std::make_shared<Count>()) {
  install();
  LW_CHECK(counting == nullptr, "memory meters do not nest");
  counting = count_;
}

MemoryMeter::~MemoryMeter() { counting.reset(); }

int64_t MemoryMeter::peak_bytes() const { return count_->peak; }
int64_t MemoryMeter::live_bytes() const { return count_->live; }

}  // namespace lw
