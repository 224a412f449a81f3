// The normalizer of BERT (Devlin et al. 2019, arXiv 1810.04805, "basic tokenization"), as in the tokenizers library:
// remove control characters, turn whitespace into spaces, put spaces around CJK ideographs, strip accents, lower the
// case.
#pragma once
#include <functional>
#include <string>

#include "harness/tokenizer/aligned_text.h"

namespace lw {

struct BertOptions {
  bool clean_text = true;
  bool handle_chinese_chars = true;
  bool strip_accents = true;
  bool lowercase = true;
};
std::function<void(AlignedText& text)> bert_normalizer(const BertOptions& options);

/// Replaces each code point by what `map` appends.
std::function<void(AlignedText& text)> map_code_points(std::function<void(char32_t code, std::string& out)> map);

}  // namespace lw
