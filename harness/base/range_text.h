// A range of numbers in words, as errors say what is allowed.
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "harness/base/numbers.h"
#include "harness/base/schema.h"

namespace lw {

inline std::string bound_text(int64_t v) { return std::to_string(v); }
inline std::string bound_text(double v) { return format_number(v); }

/// "a whole number from 1 to 8", "a number above 0".
template <class T>
std::string allowed_text(const Range<T>& range) {
  std::string text = std::is_integral_v<T> ? "a whole number" : "a number";
  const bool low = range.min != std::numeric_limits<T>::lowest(), high = range.max != std::numeric_limits<T>::max();
  if (low && range.above_min) {
    text += " above " + bound_text(range.min);
    if (high) text += " and up to " + bound_text(range.max);
  } else if (low && high) {
    text += " from " + bound_text(range.min) + " to " + bound_text(range.max);
  } else if (low) {
    text += ", " + bound_text(range.min) + " or more";
  } else if (high) {
    text += ", " + bound_text(range.max) + " or less";
  }
  return text;
}

}  // namespace lw
