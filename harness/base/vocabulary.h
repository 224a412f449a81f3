// The tokens a suite may use, whatever the model: each symbol is exactly one token,
// so lengths and distances are exact by construction.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace lw {

using Token = int64_t;

/// What one suite sees of a model's vocabulary.
struct Vocabulary {
  std::vector<Token> symbols;  // distinct one-token symbols, in a fixed order; suites index into these
  Token ask = 0;               // ends the haystack, begins the question
  std::optional<Token> begin;  // put first when the model was trained with one
};

}  // namespace lw
