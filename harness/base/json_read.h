// Strict reading of JSON that this program wrote: a missing or mistyped key is an error with its name.
#pragma once
#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/base/error.h"

namespace lw {
using Json = nlohmann::ordered_json;

/// @param place "results.jsonl:17". Refuses NaN, trailing text and duplicate keys. @throws Error(kInput).
Json parse_json(std::string_view text, const std::string& place);

/// Whether a value is a T as it stands: nlohmann would turn 2.5 into 2 and wrap what is too large.
template <class T>
struct JsonFits {
  static bool check(const Json& value) {
    if constexpr (std::is_same_v<T, bool>) {
      return value.is_boolean();
    } else if constexpr (std::is_integral_v<T>) {
      if (value.is_number_unsigned()) return std::in_range<T>(value.get<uint64_t>());
      return value.is_number_integer() && std::in_range<T>(value.get<int64_t>());
    } else {
      return !std::is_floating_point_v<T> || value.is_number();
    }
  }
};
template <class T>
struct JsonFits<std::vector<T>> {
  static bool check(const Json& value) {
    return value.is_array() && std::all_of(value.begin(), value.end(), JsonFits<T>::check);
  }
};

/// @throws Error(kInput) naming the key.
template <class T>
T json_get(const Json& object, const char* key, const std::string& place) {
  const auto found = object.find(key);
  if (found == object.end()) throw Error(ErrorKind::kInput, place + ": " + key + ": found nothing; allowed: a value");
  try {
    if (JsonFits<T>::check(*found)) return found->get<T>();
  } catch (const nlohmann::json::exception&) {  // told below
  }
  throw Error(ErrorKind::kInput, place + ": " + key + ": found " + found->dump() + "; allowed: another type of value");
}

/// null and absent give nullopt.
template <class T>
std::optional<T> json_optional(const Json& object, const char* key, const std::string& place) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return std::nullopt;
  return json_get<T>(object, key, place);
}

}  // namespace lw
