#include "harness/formats/quants.h"

#include <array>
#include <cstring>

#include "harness/base/error.h"
#include "harness/base/text.h"
#include "harness/formats/half.h"

namespace lw {
namespace {

using Bytes = const uint8_t*;

float half_at(Bytes p) { return float_from_half(static_cast<uint16_t>(p[0] | p[1] << 8)); }

void from_float(Bytes in, float* out) { std::memcpy(out, in, sizeof(float)); }
void from_half(Bytes in, float* out) { *out = half_at(in); }
void from_bfloat(Bytes in, float* out) { *out = float_from_bfloat(static_cast<uint16_t>(in[0] | in[1] << 8)); }

// Blocks of 32. Low nibbles are the first half, high nibbles the second.

void from_q4_0(Bytes in, float* out) {
  const float d = half_at(in);
  for (int j = 0; j < 16; ++j) {
    out[j] = static_cast<float>((in[2 + j] & 15) - 8) * d;
    out[j + 16] = static_cast<float>((in[2 + j] >> 4) - 8) * d;
  }
}

void from_q4_1(Bytes in, float* out) {
  const float d = half_at(in), m = half_at(in + 2);
  for (int j = 0; j < 16; ++j) {
    out[j] = static_cast<float>(in[4 + j] & 15) * d + m;
    out[j + 16] = static_cast<float>(in[4 + j] >> 4) * d + m;
  }
}

/// Five-bit values: nibbles in `low`, and the fifth bits of all 32 in the four bytes of `high`.
std::array<int, 32> five_bits(Bytes high, Bytes low) {
  const uint32_t fifth = uint32_t{high[0]} | uint32_t{high[1]} << 8 | uint32_t{high[2]} << 16 | uint32_t{high[3]} << 24;
  std::array<int, 32> out{};
  for (size_t j = 0; j < 16; ++j) {
    out[j] = (low[j] & 15) | static_cast<int>(fifth >> j << 4 & 16);
    out[j + 16] = (low[j] >> 4) | static_cast<int>(fifth >> (j + 16) << 4 & 16);
  }
  return out;
}

void from_q5_0(Bytes in, float* out) {
  const float d = half_at(in);
  const auto q = five_bits(in + 2, in + 6);
  for (size_t j = 0; j < 32; ++j) out[j] = static_cast<float>(q[j] - 16) * d;
}

void from_q5_1(Bytes in, float* out) {
  const float d = half_at(in), m = half_at(in + 2);
  const auto q = five_bits(in + 4, in + 8);
  for (size_t j = 0; j < 32; ++j) out[j] = static_cast<float>(q[j]) * d + m;
}

void from_q8_0(Bytes in, float* out) {
  const float d = half_at(in);
  for (int j = 0; j < 32; ++j) out[j] = static_cast<float>(static_cast<int8_t>(in[2 + j])) * d;
}

// Blocks of 256.

/// The six-bit scale and minimum of sub-block j (0 to 7), packed into 12 bytes.
struct SubScale {
  float scale, minimum;
};
SubScale sub_scale(Bytes packed, int j) {
  int scale = 0, minimum = 0;
  if (j < 4) {
    scale = packed[j] & 63;
    minimum = packed[j + 4] & 63;
  } else {
    scale = (packed[j + 4] & 15) | packed[j - 4] >> 6 << 4;
    minimum = packed[j + 4] >> 4 | packed[j] >> 6 << 4;
  }
  return {static_cast<float>(scale), static_cast<float>(minimum)};
}

/// Q4_K, and Q5_K when `fifth` (32 bytes of fifth bits, one bit plane per sub-block) is given: 32 bytes of nibbles hold
/// sub-block 2k (low) and 2k + 1 (high).
void from_k_nibbles(Bytes in, Bytes fifth, Bytes nibbles, float* out) {
  const float d = half_at(in), dmin = half_at(in + 2);
  for (int sub = 0; sub < 8; ++sub) {
    const auto [scale, minimum] = sub_scale(in + 4, sub);
    const float step = d * scale, least = dmin * minimum;
    Bytes q = nibbles + sub / 2 * 32;
    for (int l = 0; l < 32; ++l) {
      int value = sub % 2 == 0 ? q[l] & 15 : q[l] >> 4;
      if (fifth != nullptr && (fifth[l] >> sub & 1) != 0) value += 16;
      out[sub * 32 + l] = step * static_cast<float>(value) - least;
    }
  }
}

void from_q4_k(Bytes in, float* out) { from_k_nibbles(in, nullptr, in + 16, out); }
void from_q5_k(Bytes in, float* out) { from_k_nibbles(in, in + 16, in + 48, out); }

void from_q6_k(Bytes in, float* out) {
  const float d = half_at(in + 208);
  for (int part = 0; part < 2; ++part) {  // 128 values each
    Bytes low = in + part * 64, high = in + 128 + part * 32, scales = in + 192 + part * 8;
    for (int row = 0; row < 4; ++row) {
      for (int l = 0; l < 32; ++l) {
        const int nibble = row < 2 ? low[l + row % 2 * 32] & 15 : low[l + row % 2 * 32] >> 4;
        const int value = (nibble | (high[l] >> 2 * row & 3) << 4) - 32;
        const auto scale = static_cast<float>(static_cast<int8_t>(scales[l / 16 + 2 * row]));
        out[part * 128 + row * 32 + l] = d * scale * static_cast<float>(value);
      }
    }
  }
}

/// Q2_K: sixteen sub-blocks of 16 values; the four sub-blocks that share 16 bytes take two bits of each byte.
void from_q2_k(Bytes in, float* out) {
  const float d = half_at(in + 80), dmin = half_at(in + 82);
  for (int sub = 0; sub < 16; ++sub) {
    const float step = d * static_cast<float>(in[sub] & 15), least = dmin * static_cast<float>(in[sub] >> 4);
    Bytes q = in + 16 + sub / 8 * 32 + sub % 2 * 16;
    for (int l = 0; l < 16; ++l) out[sub * 16 + l] = step * static_cast<float>(q[l] >> sub % 8 / 2 * 2 & 3) - least;
  }
}

/// Q3_K: as Q2_K, with a third bit in 32 bytes in front (one bit plane per 32 values; a bit that is not set subtracts
/// 4) and six-bit scales without minima: nibbles of 16 sub-blocks in eight bytes, then their upper two bits in four.
void from_q3_k(Bytes in, float* out) {
  const float d = half_at(in + 108);
  Bytes third = in, packed = in + 96;
  for (int sub = 0; sub < 16; ++sub) {
    const int nibble = sub < 8 ? packed[sub] & 15 : packed[sub - 8] >> 4;
    const int scale = (nibble | (packed[8 + sub % 4] >> sub / 4 * 2 & 3) << 4) - 32;
    const float step = d * static_cast<float>(scale);
    const int half = sub % 2 * 16;
    Bytes q = in + 32 + sub / 8 * 32 + half;
    for (int l = 0; l < 16; ++l) {
      const int low = q[l] >> sub % 8 / 2 * 2 & 3, high = third[half + l] >> sub / 2 & 1;
      out[sub * 16 + l] = step * static_cast<float>(low - (high != 0 ? 0 : 4));
    }
  }
}

// The two types that index a table of values in place of a straight line.

constexpr std::array<float, 16> kUneven = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

void from_uneven_nibbles(float step, Bytes q, float* out) {
  for (int j = 0; j < 16; ++j) {
    out[j] = step * kUneven[q[j] & 15];
    out[j + 16] = step * kUneven[q[j] >> 4];
  }
}

void from_iq4_nl(Bytes in, float* out) { from_uneven_nibbles(half_at(in), in + 2, out); }

/// IQ4_XS: eight sub-blocks of 32. The upper two bits of their scales stand in bytes 2 and 3, the nibbles in 4 to 7.
void from_iq4_xs(Bytes in, float* out) {
  const float d = half_at(in);
  const int upper = in[2] | in[3] << 8;
  for (int sub = 0; sub < 8; ++sub) {
    const int nibble = in[4 + sub / 2] >> sub % 2 * 4 & 15;
    const int scale = (nibble | (upper >> 2 * sub & 3) << 4) - 32;
    from_uneven_nibbles(d * static_cast<float>(scale), in + 8 + sub * 16, out + sub * 32);
  }
}

using FromBlock = void (*)(Bytes, float*);
struct Row {
  GgmlType type;
  FromBlock from;
};

constexpr Row readable(uint32_t id, std::string_view name, uint64_t block, uint64_t bytes, FromBlock from) {
  return {{id, name, block, bytes, true}, from};
}
constexpr Row sized(uint32_t id, std::string_view name, uint64_t block, uint64_t bytes) {
  return {{id, name, block, bytes, false}, nullptr};
}

constexpr std::array kRows = {
    readable(0, "F32", 1, 4, from_float),
    readable(1, "F16", 1, 2, from_half),
    readable(30, "BF16", 1, 2, from_bfloat),
    readable(2, "Q4_0", 32, 18, from_q4_0),
    readable(3, "Q4_1", 32, 20, from_q4_1),
    readable(6, "Q5_0", 32, 22, from_q5_0),
    readable(7, "Q5_1", 32, 24, from_q5_1),
    readable(8, "Q8_0", 32, 34, from_q8_0),
    readable(12, "Q4_K", 256, 144, from_q4_k),
    readable(13, "Q5_K", 256, 176, from_q5_k),
    readable(14, "Q6_K", 256, 210, from_q6_k),
    readable(10, "Q2_K", 256, 84, from_q2_k),
    readable(11, "Q3_K", 256, 110, from_q3_k),
    readable(20, "IQ4_NL", 32, 18, from_iq4_nl),
    readable(23, "IQ4_XS", 256, 136, from_iq4_xs),
    sized(9, "Q8_1", 32, 36),
    sized(15, "Q8_K", 256, 292),
    sized(16, "IQ2_XXS", 256, 66),
    sized(17, "IQ2_XS", 256, 74),
    sized(18, "IQ3_XXS", 256, 98),
    sized(19, "IQ1_S", 256, 50),
    sized(21, "IQ3_S", 256, 110),
    sized(22, "IQ2_S", 256, 82),
    sized(24, "I8", 1, 1),
    sized(25, "I16", 1, 2),
    sized(26, "I32", 1, 4),
    sized(27, "I64", 1, 8),
    sized(28, "F64", 1, 8),
    sized(29, "IQ1_M", 256, 56),
    sized(34, "TQ1_0", 256, 54),
    sized(35, "TQ2_0", 256, 66),
    sized(39, "MXFP4", 32, 17),
    sized(40, "NVFP4", 0, 0),
    sized(41, "Q1_0", 0, 0),
    sized(42, "Q2_0", 0, 0),
};

}  // namespace

const GgmlType* ggml_type(uint32_t id) {
  for (const Row& row : kRows)
    if (row.type.id == id) return &row.type;
  return nullptr;
}

std::string readable_ggml_types() {
  std::string out;
  for (const Row& row : kRows)
    if (row.type.is_readable) out += (out.empty() ? "" : ", ") + std::string(row.type.name);
  return out;
}

void dequantise(const GgmlType& type, std::span<const std::byte> bytes, std::span<float> out,
                const std::string& place) {
  FromBlock from = nullptr;
  for (const Row& row : kRows)
    if (row.type.id == type.id) from = row.from;
  if (from == nullptr)
    throw Error(ErrorKind::kInput,
                text(place, ": found type ", type.name, "; readable as weights: ", readable_ggml_types()));
  LW_CHECK(out.size() % type.block == 0 && bytes.size() == out.size() / type.block * type.bytes, "whole blocks");
  const auto* in = reinterpret_cast<Bytes>(bytes.data());
  for (size_t i = 0; i < out.size(); i += type.block, in += type.bytes) from(in, out.data() + i);
}

}  // namespace lw
