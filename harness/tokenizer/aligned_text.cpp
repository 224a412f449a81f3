#include "harness/tokenizer/aligned_text.h"

#include <utility>

namespace lw {

AlignedText AlignedText::slice(size_t begin, size_t end) const {
  AlignedText part(text_.substr(begin, end - begin), 0);
  if (origins_.empty()) {
    part.begin_ = begin_ + static_cast<uint32_t>(begin);
  } else {
    part.origins_.assign(origins_.begin() + static_cast<std::ptrdiff_t>(begin),
                         origins_.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return part;
}

void TextEdit::keep(size_t begin, size_t end) {
  new_text_.append(text_.text_, begin, end - begin);
  for (size_t i = begin; i < end; ++i) new_origins_.push_back(text_.origin_of(i));
}

void TextEdit::put(std::string_view replacement, size_t begin, size_t end) {
  TextSpan origin;
  if (begin < end) {
    origin = text_.origin(begin, end);
  } else {
    const uint32_t at = begin < text_.text_.size() ? text_.origin_of(begin).begin
                        : begin > 0                ? text_.origin_of(begin - 1).end
                                                   : text_.begin_;
    origin = {at, at};
  }
  new_text_ += replacement;
  new_origins_.insert(new_origins_.end(), replacement.size(), origin);
}

void TextEdit::finish() {
  text_.begin_ = text_.begin();
  text_.text_ = std::move(new_text_);
  text_.origins_ = std::move(new_origins_);
}

}  // namespace lw
