// The pre-tokenizers of a tokenizer.json: where the text is split before the model sees the pieces.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/tokenizer/aligned_text.h"
#include "harness/tokenizer/matcher.h"

namespace lw {

/// Splits each piece further. Empty for none.
using PreTokenizer = std::function<void(std::vector<AlignedText>& pieces)>;

PreTokenizer split_by(Matcher matcher, SplitBehavior behavior, bool inverted = false);
/// @param cuts where to split before bytes are written as letters; empty: nowhere.
PreTokenizer byte_level(Matcher cuts, bool add_prefix_space = false);
PreTokenizer pre_tokenize_in_turn(std::vector<PreTokenizer> steps);

/// @param json null for none. @throws Error naming what is not understood.
PreTokenizer read_pre_tokenizer(const Json& json, const std::string& place, const std::string& path);

}  // namespace lw
