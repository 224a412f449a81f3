#include "harness/tokenizer/matcher.h"

#include <utility>

#include "harness/tokenizer/unicode.h"

namespace lw {
namespace {

// The parts, joined as `behavior` demands. Parts to drop are marked as matches, all others are not.
std::vector<TextPart> joined(const std::vector<TextPart>& parts, SplitBehavior behavior) {
  std::vector<TextPart> pieces;
  bool previous = false;  // whether the part before was a match
  for (const TextPart& part : parts) {
    bool join = false;
    if (behavior == SplitBehavior::kContiguous) join = part.match == previous;
    if (behavior == SplitBehavior::kMergedWithPrevious) join = part.match && !previous;
    if (join && !pieces.empty()) {
      pieces.back().end = part.end;
    } else {
      pieces.push_back({part.begin, part.end, part.match && behavior == SplitBehavior::kRemoved});
    }
    previous = part.match;
  }
  return pieces;
}

// The same from the right: a match joins the part that follows it.
std::vector<TextPart> joined_with_next(const std::vector<TextPart>& parts) {
  std::vector<TextPart> pieces;
  for (size_t i = 0; i < parts.size(); ++i) {
    pieces.push_back({parts[i].begin, parts[i].end, false});
    if (parts[i].match && i + 1 < parts.size() && !parts[i + 1].match) pieces.back().end = parts[++i].end;
  }
  return pieces;
}

}  // namespace

Matcher match_text(std::string literal) {
  return [literal = std::move(literal)](std::string_view text) {
    std::vector<TextPart> parts;
    size_t done = 0;
    for (size_t at; (at = text.find(literal, done)) != std::string_view::npos; done = at + literal.size()) {
      if (done < at) parts.push_back({done, at, false});
      parts.push_back({at, at + literal.size(), true});
    }
    if (done < text.size()) parts.push_back({done, text.size(), false});
    return parts;
  };
}

Matcher match_class(bool (*is_member)(char32_t code)) {
  return [is_member](std::string_view text) {
    std::vector<TextPart> parts;
    for (size_t at = 0; at < text.size();) {
      const size_t begin = at;
      const bool match = is_member(next_code_point(text, at));
      if (!match && !parts.empty() && !parts.back().match) {
        parts.back().end = at;
      } else {
        parts.push_back({begin, at, match});
      }
    }
    return parts;
  };
}

std::vector<AlignedText> split(const AlignedText& text, const Matcher& matcher, SplitBehavior behavior, bool inverted) {
  std::vector<TextPart> parts = matcher(text.text());
  if (inverted)
    for (TextPart& part : parts) part.match = !part.match;
  std::vector<AlignedText> pieces;
  for (const TextPart& part :
       behavior == SplitBehavior::kMergedWithNext ? joined_with_next(parts) : joined(parts, behavior))
    if (!part.match) pieces.push_back(text.slice(part.begin, part.end));
  return pieces;
}

}  // namespace lw
