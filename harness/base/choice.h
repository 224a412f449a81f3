// The words that a key may take.
#pragma once
#include <string>
#include <type_traits>
#include <vector>

#include "harness/base/error.h"

namespace lw {

/// One word, with a line for schemas and lists.
struct Choice {
  std::string name;
  std::string summary;
};

/// What a word may stand for.
template <class T>
concept Chosen = std::is_enum_v<T> || std::is_same_v<T, bool>;

/// One word and what it stands for.
template <Chosen Enum>
struct NamedValue {
  Enum value;
  std::string name;
  std::string summary = {};
};
template <Chosen Enum>
using NamedValues = std::vector<NamedValue<Enum>>;

template <Chosen Enum>
const std::string& name_of(const NamedValues<Enum>& words, Enum value) {
  for (const auto& word : words)
    if (word.value == value) return word.name;
  fail_internal(__FILE__, __LINE__, "name_of", "a value without a word");
}

template <Chosen Enum>
std::vector<Choice> choices_of(const NamedValues<Enum>& words) {
  std::vector<Choice> out;
  for (const auto& word : words) out.push_back({word.name, word.summary});
  return out;
}

}  // namespace lw
