// The patterns that cut text before byte-level BPE, scanned by hand in linear time. They match what the
// regular expressions match in the reference engine; tests hold them against PCRE2.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/tokenizer/matcher.h"

namespace lw {

/// A pattern with a hand-written scanner.
struct KnownPattern {
  std::string name;     // "gpt2"
  std::string pattern;  // as it stands in tokenizer.json
  Matcher matcher;
};

/// gpt2, llama3, qwen2, qwen35, bloom.
const std::vector<KnownPattern>& known_patterns();
/// @param name one of the above.
const KnownPattern& known_pattern(std::string_view name);

}  // namespace lw
