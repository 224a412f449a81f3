// Numbers to and from text, the same everywhere: strict in, shortest exact form out.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lw {

/// Decimal digits with an optional sign; no leading zero (YAML 1.1 reads 010 as octal), no fraction.
[[nodiscard]] std::optional<int64_t> parse_whole(std::string_view text);
/// A finite decimal number; no hexadecimal, .nan or .inf.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);
/// The shortest text that reads back to the same double: "0.1", "10000", "1e-12".
[[nodiscard]] std::string format_number(double value);
/// The same for float32: "1e-05", where the double of the same value has 17 digits.
[[nodiscard]] std::string format_float(float value);
/// `digits` after the point: "0.953".
[[nodiscard]] std::string format_fixed(double value, int digits);
/// Digits in groups of three: "24,550".
[[nodiscard]] std::string format_grouped(int64_t value);

}  // namespace lw
