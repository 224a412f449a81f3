// The tensor types of GGUF: blocks of elements that share scales, and their values as float32.
//
// Block layouts and the order of operations are those of ggml (ggml-common.h, ggml-quants.c), so that the
// values are equal bit for bit. That needs separate rounding of products and sums: this library is compiled
// without contraction to fused operations.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lw {

struct GgmlType {
  uint32_t id = 0;
  std::string_view name;     // "Q4_K"
  uint64_t block = 0;        // elements that are stored together; 0: a type whose size is not known here
  uint64_t bytes = 0;        // of one block
  bool is_readable = false;  // whether dequantise() knows it
};

/// The type with this id, or nullptr. Ids that the format has withdrawn are not there.
const GgmlType* ggml_type(uint32_t id);

/// "F32, F16, ...": the types that dequantise() reads.
std::string readable_ggml_types();

/// Float32 values of whole blocks, in their order in the file.
/// @param bytes out.size() / type.block blocks, at any alignment.
/// @throws Error(kInput) "PLACE: found type IQ2_XXS; ..." for a type that is not readable.
void dequantise(const GgmlType& type, std::span<const std::byte> bytes, std::span<float> out, const std::string& place);

}  // namespace lw
