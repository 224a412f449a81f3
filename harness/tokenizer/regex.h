// Matches the regular expressions of a tokenizer.json that have no scanner, with PCRE2. The files are written for
// Oniguruma: constructs with the same meaning are translated, and those whose meaning may differ are refused by name.
#pragma once
#include <string>

#include "harness/tokenizer/matcher.h"

namespace lw {

/// Oniguruma's pattern as one for PCRE2 with UTF and UCP.
/// @throws Error(kInput) naming what is not understood.
std::string translate_pattern(const std::string& pattern, const std::string& place);

/// @param place "tokenizer.json: pre_tokenizer.pattern", for errors.
/// @throws Error(kInput) if PCRE2 cannot compile it or it matches the empty text. The matcher throws
///   Error(kRuntime) where PCRE2 gives up (its match and heap limits).
Matcher match_regex(const std::string& pattern, const std::string& place);

}  // namespace lw
