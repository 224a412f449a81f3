#include "harness/base/rng.h"

#include <cmath>
#include <limits>

#include "harness/base/error.h"

namespace lw {
namespace {

uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

constexpr uint64_t kGolden = 0x9E3779B97F4A7C15ULL;

}  // namespace

Rng Rng::stream(std::string_view label) const {
  uint64_t hash = 0xCBF29CE484222325ULL;  // FNV-1a
  for (const char c : label) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return Rng(mix(state_ ^ mix(hash + 1)));
}

Rng Rng::stream(uint64_t label) const {
  return Rng(mix(state_ + kGolden * 3) ^ mix(label * kGolden + 0x51ED2701A0B1C3D5ULL));
}

uint64_t Rng::next() { return mix(state_ += kGolden); }

int64_t Rng::below(int64_t n) {
  LW_CHECK(n > 0, "below() needs a positive bound");
  const auto bound = static_cast<uint64_t>(n);
  const uint64_t limit = std::numeric_limits<uint64_t>::max() - std::numeric_limits<uint64_t>::max() % bound;
  uint64_t x = next();
  while (x >= limit) x = next();
  return static_cast<int64_t>(x % bound);
}

double Rng::uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

double Rng::normal() {
  const double u = 1.0 - uniform();  // in (0, 1], so the logarithm is finite
  const double v = uniform();
  return std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586476925286766559 * v);
}

std::vector<int64_t> Rng::distinct(int64_t count, int64_t n) {
  LW_CHECK(count <= n, "cannot draw more distinct integers than there are");
  std::vector<int64_t> all(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) all[size_t(i)] = i;
  for (int64_t i = 0; i < count; ++i) std::swap(all[size_t(i)], all[size_t(i + below(n - i))]);
  all.resize(static_cast<size_t>(count));
  return all;
}

}  // namespace lw
