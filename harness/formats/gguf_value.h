// One value of GGUF metadata: thirteen types, held in four ways.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/formats/byte_reader.h"

namespace lw {

/// One metadata value. A scalar is held as a list of one.
struct GgufValue {
  enum class Type : uint32_t { kU8, kI8, kU16, kI16, kU32, kI32, kF32, kBool, kText, kArray, kU64, kI64, kF64 };
  using Wholes = std::vector<int64_t>;     // signed types
  using Naturals = std::vector<uint64_t>;  // unsigned types and kBool (0 or 1)
  using Numbers = std::vector<double>;     // kF32 (widened, exact) and kF64
  using Texts = std::vector<std::string>;  // any bytes

  Type type = Type::kU8;  // of the elements
  bool is_array = false;
  std::variant<Wholes, Naturals, Numbers, Texts> values;

  size_t size() const;
  /// The scalar, or the array's first values, for people: "128", "[1, 2, ... (512)]".
  std::string text() const;
};

/// "u32", "f32", "text".
std::string_view gguf_type_name(GgufValue::Type type);

/// A text: its length in 64 bits, then its bytes. @param what is read, for errors. @throws Error(kInput).
std::string read_gguf_text(ByteReader& in, const std::string& what);

/// A type and the value or the array that follows. An array's length is compared with the bytes that are left
/// before anything is allocated. @param key for errors. @throws Error(kInput).
GgufValue read_gguf_value(ByteReader& in, const std::string& key);

}  // namespace lw
