// Random numbers that are the same on every machine, compiler and thread count.
#pragma once
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace lw {

/// SplitMix64 (Steele et al. 2014), with child streams named by labels. The numbers of a stream depend on its names
/// alone and never on the order of calls, so adding a length or a suite changes no other draw.
/// std::uniform_int_distribution is not used: its results differ between standard libraries.
class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed) {}
  /// A child stream for one label; the parent is left as it was.
  [[nodiscard]] Rng stream(std::string_view label) const;
  [[nodiscard]] Rng stream(uint64_t label) const;
  uint64_t next();
  /// Uniform in [0, n); n > 0. Unbiased (rejection).
  int64_t below(int64_t n);
  /// Uniform in [0, 1), 53 bits.
  double uniform();
  /// Standard normal (Box-Muller; one value per two draws, so that the stream position is predictable).
  double normal();

  /// Fisher-Yates.
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[size_t(below(int64_t(i)))]);
  }
  /// `count` distinct integers of [0, n) in random order; count <= n.
  std::vector<int64_t> distinct(int64_t count, int64_t n);

 private:
  uint64_t state_;
};

}  // namespace lw
