// Texts with a number each, found where they begin at a byte of a text: all of them, or the longest.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/tokenizer/pair_table.h"

namespace lw {

class ByteTrie {
 public:
  /// The first value of a text stays.
  void add(std::string_view text, uint32_t value) {
    uint32_t node = 0;
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      const auto* edge = edges_.find(node, byte);
      if (edge == nullptr) {
        edges_.set(node, byte, static_cast<uint32_t>(values_.size()), 0);
        node = static_cast<uint32_t>(values_.size());
        values_.push_back(kNone);
      } else {
        node = edge->first;
      }
    }
    if (values_[node] == kNone) values_[node] = value;
  }

  bool is_empty() const { return values_.size() == 1 && values_[0] == kNone; }

  /// Calls visit(value, end) for each text that begins at byte `at`, the shortest first; it ends before byte `end`.
  template <class Visit>
  void each(std::string_view text, size_t at, const Visit& visit) const {
    uint32_t node = 0;
    for (size_t i = at; i < text.size(); ++i) {
      const auto* edge = edges_.find(node, static_cast<unsigned char>(text[i]));
      if (edge == nullptr) return;
      node = edge->first;
      if (values_[node] != kNone) visit(values_[node], i + 1);
    }
  }

  /// The value of the longest text that begins at byte `at`. @param end receives where it ends.
  std::optional<uint32_t> longest(std::string_view text, size_t at, size_t& end) const {
    std::optional<uint32_t> found;
    each(text, at, [&](uint32_t value, size_t its_end) {
      found = value;
      end = its_end;
    });
    return found;
  }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  PairTable edges_;                      // node and byte -> node
  std::vector<uint32_t> values_{kNone};  // of the text that ends at a node
};

}  // namespace lw
