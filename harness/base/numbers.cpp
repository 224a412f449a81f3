#include "harness/base/numbers.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace lw {
namespace {

bool digits_only(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  return text;
}

}  // namespace

std::optional<int64_t> parse_whole(std::string_view text) {
  const std::string_view digits = without_sign(text);
  if (!digits_only(digits) || (digits.size() > 1 && digits.front() == '0')) return std::nullopt;
  if (text.front() == '+') text.remove_prefix(1);
  int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_number(std::string_view text) {
  const std::string_view body = without_sign(text);
  if (body.empty() || body.find_first_not_of("0123456789.eE+-") != body.npos) return std::nullopt;
  if (body.size() > 1 && body[0] == '0' && body[1] >= '0' && body[1] <= '9') return std::nullopt;
  if (body.front() == '+' || body.front() == '-') return std::nullopt;  // a second sign
  if (text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string format_number(double value) {
  std::array<char, 40> buffer{};
  if (value == std::floor(value) && std::abs(value) < 1e15)
    return std::to_string(static_cast<int64_t>(value));  // 10000, not 1e+04
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

std::string format_float(float value) {
  std::array<char, 40> buffer{};
  if (value == std::floor(value) && std::abs(value) < 1e7F) return std::to_string(static_cast<int64_t>(value));
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

std::string format_fixed(double value, int digits) {
  std::array<char, 400> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*f", digits, value);
  return buffer.data();
}

std::string format_grouped(int64_t value) {
  std::string text = std::to_string(value);
  const size_t first = value < 0 ? 1 : 0;
  for (size_t i = text.size(); i > first + 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

}  // namespace lw
