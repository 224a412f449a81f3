// The normalizers of a tokenizer.json: what happens to the text before it is split.
#pragma once
#include <functional>
#include <string>

#include "harness/base/json.h"
#include "harness/tokenizer/aligned_text.h"
#include "harness/tokenizer/matcher.h"
#include "harness/tokenizer/unicode.h"

namespace lw {

class JsonFields;

/// Empty for none.
using Normalizer = std::function<void(AlignedText& text)>;

Normalizer normalize_form(NormalForm form);
/// Leaves an empty text alone.
Normalizer prepend(std::string prefix);
Normalizer replace(Matcher matcher, std::string replacement);
/// Each byte becomes its letter of the byte alphabet.
Normalizer to_byte_letters();

/// @param json null for none. @throws Error naming what is not understood.
Normalizer read_normalizer(const Json& json, const std::string& place, const std::string& path);

/// {"String": …} or {"Regex": …}, as in Replace and Split.
Matcher read_pattern(JsonFields& fields);

}  // namespace lw
