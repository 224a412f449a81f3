// The texts of suites in a natural language: facts, questions, and plain sentences to hide facts among.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace lw {

/// Pieces include the space before them where there is one.
struct Language {
  std::vector<std::string_view> names;  // of people
  std::vector<std::string_view> words;  // the answers; no sentence holds one
  // A fact: before_name, a name, after_name, a word, after_word.
  std::string_view before_name, after_name, after_word;
  // A sentence: one part of each kind in a pattern, then a full stop.
  std::vector<std::vector<std::string>> parts;
  std::vector<std::vector<size_t>> patterns;  // of indices into `parts`
};

const Language& english();
const Language& korean();

}  // namespace lw
