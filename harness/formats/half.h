// The 16-bit floating-point formats of checkpoints to and from float32, bit for bit on every machine.
#pragma once
#include <bit>
#include <cstdint>

namespace lw {

/// IEEE 754 binary16 to float32: exact. A NaN keeps its sign and payload.
constexpr float float_from_half(uint16_t bits) {
  const uint32_t sign = uint32_t{bits & 0x8000U} << 16, exponent = bits >> 10 & 31U, fraction = bits & 0x3FFU;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000U | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float size = static_cast<float>(fraction) * 0x1p-24F;  // subnormal or zero
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(size));
}

/// bfloat16 to float32: its upper half, exact.
constexpr float float_from_bfloat(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

/// float32 to bfloat16, to the nearest, ties to even. NaN stays NaN: rounding its bits could carry into the sign.
constexpr uint16_t bfloat_from_float(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<uint16_t>(bits >> 16 | 0x40U);
  return static_cast<uint16_t>((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16);
}

/// float32 to binary16, to the nearest, ties to even; beyond 65504 infinity.
constexpr uint16_t half_from_float(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000U, size = bits & 0x7FFFFFFFU;
  if (size > 0x7F800000U) return static_cast<uint16_t>(sign | 0x7E00U | (size >> 13 & 0x3FFU));
  if (size >= 0x477FF000U) return static_cast<uint16_t>(sign | 0x7C00U);  // 65520 is halfway to what would follow
  if (size < 0x38800000U) {  // below 2^-14: adding 0.5 leaves the rounded count of 2^-24 in the low bits
    const float counted = std::bit_cast<float>(size) + 0.5F;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(counted) - std::bit_cast<uint32_t>(0.5F)));
  }
  const uint32_t rounded = size + 0xFFFU + (size >> 13 & 1U);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000U) >> 13));
}

}  // namespace lw
