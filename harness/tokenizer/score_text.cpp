#include "harness/tokenizer/score_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>

namespace lw {
namespace {

constexpr int kMostPower = 308;

/// 1e0 to 1e308, each the nearest double.
const std::array<double, kMostPower + 1>& powers_of_ten() {
  static const auto kPowers = [] {
    std::array<double, kMostPower + 1> powers{};
    for (int i = 0; i <= kMostPower; ++i) {
      const std::string text = "1e" + std::to_string(i);
      std::from_chars(text.data(), text.data() + text.size(), powers[static_cast<size_t>(i)]);
    }
    return powers;
  }();
  return kPowers;
}

double scaled(uint64_t digits, int64_t exponent) {
  auto value = static_cast<double>(digits);
  for (; exponent < -kMostPower && value != 0.0; exponent += kMostPower) value /= powers_of_ten()[kMostPower];
  if (value == 0.0) return value;
  if (exponent > kMostPower) return std::numeric_limits<double>::infinity();
  const double power = powers_of_ten()[static_cast<size_t>(exponent < 0 ? -exponent : exponent)];
  return exponent < 0 ? value / power : value * power;
}

}  // namespace

double library_number(std::string_view number) {
  const bool negative = number.substr(0, 1) == "-";
  uint64_t digits = 0;
  int64_t exponent = 0;
  bool full = false, fraction = false;
  size_t at = negative ? 1 : 0;
  for (; at < number.size() && number[at] != 'e' && number[at] != 'E'; ++at) {
    if (number[at] == '.') {
      fraction = true;
      full = false;  // tried again behind the point
      continue;
    }
    const auto digit = static_cast<uint64_t>(number[at] - '0');
    full = full || digits > (std::numeric_limits<uint64_t>::max() - digit) / 10;
    if (!full) {
      digits = digits * 10 + digit;
      if (fraction) --exponent;
    } else if (!fraction) {
      ++exponent;
    }
  }
  if (at < number.size()) {
    const bool below = number.substr(at + 1, 1) == "-";
    constexpr int64_t kMost = 1 << 20;  // far beyond any double; keeps sums small
    int64_t stated = 0;
    for (++at; at < number.size(); ++at)
      if (number[at] >= '0' && number[at] <= '9') stated = std::min(kMost, stated * 10 + (number[at] - '0'));
    exponent += below ? -stated : stated;
  }
  const double value = scaled(digits, exponent);
  return negative ? -value : value;
}

}  // namespace lw
