// The element types of safetensors, and their values as float32.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lw {

/// Bits of one element ("F32" gives 32; "F4" 4); absent for a name that the format does not know.
std::optional<uint64_t> dtype_bits(std::string_view dtype);

/// All names, for messages.
std::vector<std::string> dtype_names();

/// Number of elements of a shape ([] is one scalar); absent for a negative size or more than 2^63 - 1.
std::optional<uint64_t> element_count(const std::vector<int64_t>& shape);

/// "[2, 3]".
std::string shape_text(std::span<const int64_t> shape);

/// F32, F16 and BF16 exactly; F64 to the nearest float32. `bytes` need not be aligned.
/// @param bytes little endian, as many elements as `out` has.
/// @throws Error(kInput) for any other dtype: "PLACE: found dtype I8; ...".
void float32_from(std::string_view dtype, std::span<const std::byte> bytes, std::span<float> out,
                  const std::string& place);

}  // namespace lw
