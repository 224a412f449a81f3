// Sixteen-bit floats: every value.
#include "harness/formats/half.h"

#include <cmath>
#include <limits>

#include "harness/formats/dtypes.h"
#include "tests/formats/support.h"

namespace lw::formats_test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }

}  // namespace

TEST_CASE("all 65536 halves widen to what their bits say", "[formats]") {
  size_t wrong = 0;
  for (uint32_t b = 0; b < 65536; ++b) {
    const auto half = static_cast<uint16_t>(b);
    const float value = float_from_half(half);
    const int exponent = static_cast<int>(b >> 10 & 31), fraction = static_cast<int>(b & 1023);
    const double size = exponent == 31  ? (fraction == 0 ? HUGE_VAL : std::nan(""))
                        : exponent == 0 ? std::ldexp(fraction, -24)
                                        : std::ldexp(1024 + fraction, exponent - 25);
    const double expected = (b >> 15) != 0 ? -size : size;
    const bool same = std::isnan(expected) ? std::isnan(value) : double(value) == expected;
    if (!same || std::signbit(value) != ((b >> 15) != 0)) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("bfloat16 is the upper half of float32", "[formats]") {
  size_t wrong = 0;
  for (uint32_t b = 0; b < 65536; ++b)
    if (bits(float_from_bfloat(static_cast<uint16_t>(b))) != b << 16) ++wrong;
  CHECK(wrong == 0);
}

TEST_CASE("weights of every floating type are read as float32, at any alignment", "[formats]") {
  const auto read = [](const std::string& dtype, const std::string& bytes, size_t count) {
    const std::string shifted = "x" + bytes;  // an odd address
    std::vector<float> out(count);
    float32_from(dtype, bytes_of(shifted).subspan(1), out, "f: w");
    return out;
  };
  CHECK(read("F32", raw(1.5F) + raw(-0.0F), 2) == std::vector<float>{1.5F, -0.0F});
  CHECK(read("F64", raw(0.1) + raw(1e300), 2) == std::vector<float>{0.1F, kInfinity});
  CHECK(read("F16", raw(uint16_t{0x3C00}) + raw(uint16_t{0x0001}), 2) == std::vector<float>{1.0F, 0x1p-24F});
  // 0x3FC0 is 1.5 as bfloat16 and 1.9375 as half: read as the other it would still look like a weight.
  CHECK(read("BF16", raw(uint16_t{0x3FC0}), 1) == std::vector<float>{1.5F});
  CHECK(read("F16", raw(uint16_t{0x3FC0}), 1) == std::vector<float>{1.9375F});
  CHECK(read("F32", "", 0).empty());
  for (const char* dtype : {"I8", "U8", "BOOL", "F8_E4M3"})
    CHECK(message_of("f", [&] { read(dtype, "1234", 4); }) ==
          std::string("w: found dtype ") + dtype + "; readable as weights: F32, F16, BF16, F64");
}

}  // namespace lw::formats_test
