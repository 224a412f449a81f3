// The 16-bit floating-point formats of checkpoints as float32, bit for bit on every machine.
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

}  // namespace lw
