#include "harness/formats/dtypes.h"

#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/text.h"
#include "harness/formats/half.h"

namespace lw {
namespace {

static_assert(std::endian::native == std::endian::little, "both container formats are little endian");

constexpr std::array<std::pair<std::string_view, uint64_t>, 22> kBits = {
    {{"BOOL", 8},        {"U8", 8},          {"I8", 8},      {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8},
     {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16},    {"U16", 16},    {"F16", 16},    {"BF16", 16},
     {"I32", 32},        {"U32", 32},        {"F32", 32},    {"C64", 64},    {"F64", 64},    {"I64", 64},
     {"U64", 64},        {"F4", 4},          {"F6_E2M3", 6}, {"F6_E3M2", 6}}};

/// Applies `convert` to each element, copied out of bytes that may lie at any address.
template <class T, class Convert>
void convert_each(std::span<const std::byte> bytes, std::span<float> out, Convert convert) {
  for (size_t i = 0; i < out.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    out[i] = convert(value);
  }
}

}  // namespace

std::optional<uint64_t> dtype_bits(std::string_view dtype) {
  for (const auto& [name, bits] : kBits)
    if (name == dtype) return bits;
  return std::nullopt;
}

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (const auto& [name, bits] : kBits) names.emplace_back(name);
  return names;
}

std::optional<uint64_t> element_count(const std::vector<int64_t>& shape) {
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  uint64_t count = 1;
  for (const int64_t size : shape) {
    if (size < 0 || (size > 0 && count > kMost / static_cast<uint64_t>(size))) return std::nullopt;
    count *= static_cast<uint64_t>(size);
  }
  return count;
}

std::string shape_text(std::span<const int64_t> shape) {
  std::string out = "[";
  for (size_t i = 0; i < shape.size(); ++i) out += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return out + "]";
}

void float32_from(std::string_view dtype, std::span<const std::byte> bytes, std::span<float> out,
                  const std::string& place) {
  const auto bits = dtype_bits(dtype);
  LW_CHECK(bits && bytes.size() * 8 == out.size() * *bits, "as many bytes as the elements need");
  if (dtype == "F32") {
    if (!out.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
  } else if (dtype == "F16") {
    convert_each<uint16_t>(bytes, out, float_from_half);
  } else if (dtype == "BF16") {
    convert_each<uint16_t>(bytes, out, float_from_bfloat);
  } else if (dtype == "F64") {
    convert_each<double>(bytes, out, [](double value) { return static_cast<float>(value); });
  } else {
    throw Error(ErrorKind::kInput, text(place, ": found dtype ", dtype, "; readable as weights: F32, F16, BF16, F64"));
  }
}

}  // namespace lw
