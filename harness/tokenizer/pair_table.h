// A hash table from pairs of 32-bit numbers to two more: merges of a BPE, edges of a trie.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lw {

class PairTable {
 public:
  struct Entry {
    uint64_t key = kFree;
    uint32_t first = 0;
    uint32_t second = 0;
  };

  /// @param count an upper bound on the pairs that will be set.
  explicit PairTable(size_t count = 0) {
    size_t slots = 16;
    while (slots < 2 * count) slots *= 2;
    entries_.resize(slots);
  }

  /// A second value for a pair replaces the first.
  void set(uint32_t left, uint32_t right, uint32_t first, uint32_t second) {
    if (2 * (used_ + 1) > entries_.size()) grow();
    Entry& entry = entries_[slot(key_of(left, right))];
    if (entry.key == kFree) ++used_;
    entry = {key_of(left, right), first, second};
  }

  const Entry* find(uint32_t left, uint32_t right) const {
    const Entry& entry = entries_[slot(key_of(left, right))];
    return entry.key == kFree ? nullptr : &entry;
  }

 private:
  static constexpr uint64_t kFree = ~uint64_t{0};  // both halves all ones: never a valid id or node

  static uint64_t key_of(uint32_t left, uint32_t right) { return uint64_t{left} << 32 | right; }

  size_t slot(uint64_t key) const {
    uint64_t hash = key * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 32;
    size_t at = static_cast<size_t>(hash) & (entries_.size() - 1);
    while (entries_[at].key != kFree && entries_[at].key != key) at = (at + 1) & (entries_.size() - 1);
    return at;
  }

  void grow() {
    std::vector<Entry> old(entries_.size() * 2);
    old.swap(entries_);
    for (const Entry& entry : old)
      if (entry.key != kFree) entries_[slot(entry.key)] = entry;
  }

  std::vector<Entry> entries_;
  size_t used_ = 0;
};

}  // namespace lw
