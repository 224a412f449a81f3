// What suites say in a natural language: facts, questions, and plain sentences to hide facts among.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace lw {

/// Pieces are written as they stand in a text, with the space before them where there is one.
struct Language {
  std::vector<std::string_view> names;  // of people
  std::vector<std::string_view> words;  // that answer; no sentence holds one
  // A fact: before_name, a name, after_name, a word, after_word.
  std::string_view before_name, after_name, after_word;
  // A sentence: for each kind of a pattern one of its parts, then a full stop.
  std::vector<std::vector<std::string>> parts;
  std::vector<std::vector<size_t>> patterns;  // of indices into `parts`
};

const Language& english();
const Language& korean();

}  // namespace lw
