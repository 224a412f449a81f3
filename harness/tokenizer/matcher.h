// Finds the matches of a pattern in a text, for Split and Replace of a tokenizer.json.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/tokenizer/aligned_text.h"

namespace lw {

/// Bytes [begin, end) of a text; a match of the pattern, or the text between two.
struct TextPart {
  size_t begin = 0;
  size_t end = 0;
  bool match = false;
  friend bool operator==(const TextPart&, const TextPart&) = default;
};

/// Parts that cover the text without a gap, none empty.
using Matcher = std::function<std::vector<TextPart>(std::string_view text)>;

Matcher match_text(std::string literal);
/// Each code point of the class is a match of its own.
Matcher match_class(bool (*is_member)(char32_t code));

/// What becomes of the matches when a text is split, by the names of tokenizer.json.
enum class SplitBehavior { kRemoved, kIsolated, kMergedWithPrevious, kMergedWithNext, kContiguous };
/// @param inverted treat the text between the matches as the matches.
/// @return the pieces, none empty.
std::vector<AlignedText> split(const AlignedText& text, const Matcher& matcher, SplitBehavior behavior,
                               bool inverted = false);

}  // namespace lw
