// Numbers of a tokenizer.json as the tokenizers library reads them.
#pragma once
#include <string_view>

namespace lw {

/// A JSON number as the JSON reader of the tokenizers library (serde_json) makes it a double: digits into 64 bits,
/// those beyond left out, then one multiplication or division by a power of ten. The last bit often differs from the
/// nearest double, and decides between pieces with equal sums.
/// @param number valid JSON. @returns infinity where the reader refuses the number.
double library_number(std::string_view number);

}  // namespace lw
