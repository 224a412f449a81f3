// Finds entries of a registry by name and lists their names. A registry is a list of pointers to entries with a `name`,
// written as one X-macro line an entry: lines are seen by the linker, where entries that register themselves would be
// dropped from a library.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/text.h"

namespace lw {

/// Null when no entry has that name.
template <class Info>
[[nodiscard]] const Info* find_named(std::span<const Info* const> registry, std::string_view name) {
  for (const Info* info : registry)
    if (info->name == name) return info;
  return nullptr;
}

/// In the order of the registry.
template <class Info>
[[nodiscard]] std::vector<std::string> names_of(std::span<const Info* const> registry) {
  std::vector<std::string> names;
  for (const Info* info : registry) names.emplace_back(info->name);
  return names;
}

/// "found 'rop'; allowed: alibi, …, rope; did you mean 'rope'?"
template <class Info>
[[nodiscard]] std::string unknown_name(std::span<const Info* const> registry, std::string_view name) {
  const auto names = names_of(registry);
  return found(name).allowed(join(names)) + did_you_mean(std::string(name), names);
}

}  // namespace lw
