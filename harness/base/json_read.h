// Strict reading of JSON: a missing or mistyped key is an error with its name.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/json.h"
#include "harness/base/printable.h"

namespace lw {

/// @param place "results.jsonl:17". Refuses NaN, trailing text, duplicate keys and deep nesting.
/// @throws Error(kInput).
Json parse_json(std::string_view text, const std::string& place);
/// The same for objects with very many keys, whose order is lost: Json looks keys up one by one.
SortedJson parse_sorted_json(std::string_view text, const std::string& place);

/// What all readers say of a text that is no JSON. @param byte the one that the library stopped at, from 1.
/// @throws Error(kInput).
[[noreturn]] void fail_json(std::string_view text, size_t byte, const std::string& place);
/// The same of a number that no double holds, the only other fault that the library finds.
[[noreturn]] void fail_json_number(const std::string& place);

/// Whether a value is a T as it stands: nlohmann would turn 2.5 into 2 and wrap what is too large.
template <class T>
struct JsonFits {
  template <class AnyJson>
  static bool check(const AnyJson& value) {
    if constexpr (std::is_same_v<T, bool>) {
      return value.is_boolean();
    } else if constexpr (std::is_integral_v<T>) {
      if (value.is_number_unsigned()) return std::in_range<T>(value.template get<uint64_t>());
      return value.is_number_integer() && std::in_range<T>(value.template get<int64_t>());
    } else {
      return !std::is_floating_point_v<T> || value.is_number();
    }
  }
};
template <class T>
struct JsonFits<std::vector<T>> {
  template <class AnyJson>
  static bool check(const AnyJson& value) {
    return value.is_array() &&
           std::all_of(value.begin(), value.end(), [](const AnyJson& item) { return JsonFits<T>::check(item); });
  }
};

/// A value as JSON for a message; long ones are cut. NaN and infinities, which JSON lacks, are named.
template <class AnyJson>
std::string json_shown(const AnyJson& value) {
  if (value.is_number_float() && !std::isfinite(value.template get<double>()))
    return std::isnan(value.template get<double>()) ? "nan" : value.template get<double>() > 0 ? "inf" : "-inf";
  return printable(value.dump(-1, ' ', false, AnyJson::error_handler_t::replace), 160);
}

/// @throws Error(kInput) naming the key.
template <class T, class AnyJson>
T json_get(const AnyJson& object, const std::string& key, const std::string& place) {
  const auto found = object.find(key);
  if (found == object.end()) throw Error(ErrorKind::kInput, place + ": " + key + ": found nothing; allowed: a value");
  try {
    if (JsonFits<T>::check(*found)) return found->template get<T>();
  } catch (const nlohmann::json::exception&) {  // told below
  }
  throw Error(ErrorKind::kInput,
              place + ": " + key + ": found " + json_shown(*found) + "; allowed: another type of value");
}

/// null and absent give nullopt.
template <class T, class AnyJson>
std::optional<T> json_optional(const AnyJson& object, const std::string& key, const std::string& place) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return std::nullopt;
  return json_get<T>(object, key, place);
}

}  // namespace lw
