// Strict reading of JSON that this program wrote: a missing or mistyped key is an error with its name.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "harness/base/error.h"

namespace lw {
using Json = nlohmann::ordered_json;

/// @param place "results.jsonl:17". Refuses NaN, trailing text and duplicate keys. @throws Error(kInput).
Json parse_json(std::string_view text, const std::string& place);

/// @throws Error(kInput) naming the key.
template <class T>
T json_get(const Json& object, const char* key, const std::string& place) {
  const auto found = object.find(key);
  if (found == object.end()) throw Error(ErrorKind::kInput, place + ": " + key + ": found nothing; allowed: a value");
  try {
    return found->get<T>();
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::kInput, place + ": " + key + ": found " + found->dump() + "; allowed: another type of value");
  }
}

/// null and absent give nullopt.
template <class T>
std::optional<T> json_optional(const Json& object, const char* key, const std::string& place) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return std::nullopt;
  return json_get<T>(object, key, place);
}

}  // namespace lw
