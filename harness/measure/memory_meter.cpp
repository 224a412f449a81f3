#include "harness/measure/memory_meter.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>
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

/// One allocation that somebody counts: it may be freed after the meter is gone, and on another thread.
struct Block {
  int64_t bytes;
  std::shared_ptr<MemoryMeter::Count> count;
};

/// Counted blocks by address. LibTorch also asks its allocator for plain pointers (oneDNN's scratch), so a block's
/// context must be its address, and there is no room for more in it.
struct Blocks {
  std::mutex mutex;
  std::unordered_map<void*, Block> by_address;
  std::atomic<int64_t> count{0};  // nothing to look up while it is 0
};

Blocks& blocks() {
  static auto* const all = new Blocks;  // never destroyed: tensors in static storage are freed after main
  return *all;
}

c10::DeleterFnPtr inner_deleter = nullptr;

void forget(void* address) {
  Blocks& all = blocks();
  if (all.count == 0) return;
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_address.find(address);
  if (found == all.by_address.end()) return;
  found->second.count->add(-found->second.bytes);
  all.by_address.erase(found);
  --all.count;
}

void release(void* address) {
  forget(address);  // first: the address may be given out again as soon as it is free
  inner_deleter(address);
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
  c10::DeleterFnPtr raw_deleter() const { return &release; }
  // NOLINTEND(modernize-use-override,cppcoreguidelines-explicit-virtual-functions)

 private:
  c10::DataPtr counted(size_t bytes) const {
    c10::DataPtr inner = inner_->allocate(bytes);
    const c10::Device device = inner.device();
    void* const address = inner.release_context();  // what the data pointer is too, as inner_deleter says
    if (address != nullptr && counting != nullptr) {
      Blocks& all = blocks();
      const std::lock_guard lock(all.mutex);
      if (all.by_address.insert_or_assign(address, Block{static_cast<int64_t>(bytes), counting}).second) ++all.count;
      counting->add(static_cast<int64_t>(bytes));
    }
    return {address, address, &release, device};
  }

  c10::Allocator* inner_;
};

/// Once, and for good: SetAllocator() keeps no reference count, so a layer may not go while tensors live.
void install() {
  static const bool installed = [] {
    c10::Allocator* const inner = c10::GetAllocator(c10::kCPU);
    inner_deleter = inner->raw_deleter();
    LW_CHECK(inner_deleter != nullptr, "LibTorch's CPU allocator gives no plain pointers");
    static CountingAllocator allocator(inner);
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

}  // namespace lw
