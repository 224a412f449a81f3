// Text inside a tokenizer. Each byte remembers which bytes of the input it came from.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lw {

/// Bytes [begin, end) of the input.
struct TextSpan {
  uint32_t begin = 0;
  uint32_t end = 0;
  friend bool operator==(const TextSpan&, const TextSpan&) = default;
};

class AlignedText {
 public:
  /// `text`, taken from byte `begin` of the input.
  AlignedText(std::string text, uint32_t begin) : text_(std::move(text)), begin_(begin) {}

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  /// The bytes of the input that bytes [begin, end) of this text came from; the range is not empty.
  TextSpan origin(size_t begin, size_t end) const { return {origin_of(begin).begin, origin_of(end - 1).end}; }
  /// Where the text begins in the input.
  uint32_t begin() const { return text_.empty() ? begin_ : origin_of(0).begin; }
  AlignedText slice(size_t begin, size_t end) const;

 private:
  friend class TextEdit;
  TextSpan origin_of(size_t at) const {
    if (!origins_.empty()) return origins_[at];
    const auto begin = begin_ + static_cast<uint32_t>(at);
    return {begin, begin + 1};
  }

  std::string text_;
  uint32_t begin_ = 0;
  std::vector<TextSpan> origins_;  // one per byte; empty while the text is unchanged
};

/// Builds the next state of a text from left to right, out of parts of the old text and new parts.
class TextEdit {
 public:
  explicit TextEdit(AlignedText& text) : text_(text) {}
  void keep(size_t begin, size_t end);
  /// Puts `replacement` in place of bytes [begin, end) of the text; an empty range inserts it there.
  void put(std::string_view replacement, size_t begin, size_t end);
  /// Replaces the text by the result.
  void finish();

 private:
  AlignedText& text_;
  std::string new_text_;
  std::vector<TextSpan> new_origins_;
};

}  // namespace lw
