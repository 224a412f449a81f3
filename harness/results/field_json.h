// Structs to JSON and back. A struct lists its keys once: fields(io, value) calls io(key, member) for each of them.
// Only .cpp files include this header: the JSON library costs seconds in each file that sees it.
#pragma once
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/base/json_read.h"
#include "harness/base/text.h"

namespace lw {

/// Writes the members of a struct into a JSON object. Absent values become null; sparse ones are left out.
class FieldWriter {
 public:
  explicit FieldWriter(Json& json) : json_(json) {}

  template <class T>
  void operator()(const char* key, const T& value) {
    json_[key] = encode(value);
  }
  template <class T>
  void sparse(const char* key, const T& value) {
    if (!(value == T())) json_[key] = encode(value);
  }
  /// An absent number is left out, an infinite one is null.
  void unbounded(const char* key, const std::optional<double>& value) {
    if (value) json_[key] = std::isfinite(*value) ? Json(*value) : Json(nullptr);
  }
  /// The keys of another struct, in the same object.
  template <class T>
  void part(const char* /*first_key*/, const std::optional<T>& value) {
    if (value) fields(*this, *value);
  }

  template <class T>
  static Json encode(const T& value) {
    if constexpr (std::is_same_v<T, double>) {
      LW_CHECK(std::isfinite(value), "a number in JSON must be finite");
      return value;
    } else if constexpr (requires(FieldWriter & io) { fields(io, value); }) {
      Json object = Json::object();
      FieldWriter io(object);
      fields(io, value);
      return object;
    } else if constexpr (requires { field_value(value); }) {
      return encode(field_value(value));
    } else {
      return value;
    }
  }
  template <class T>
  static Json encode(const std::optional<T>& value) {
    return value ? encode(*value) : Json(nullptr);
  }
  template <class T>
  static Json encode(const std::vector<T>& items) {
    Json list = Json::array();
    for (const T& item : items) list.push_back(encode(item));
    return list;
  }
  /// Names and numbers: an object.
  static Json encode(const std::vector<std::pair<std::string, double>>& numbers) {
    Json object = Json::object();
    for (const auto& [name, value] : numbers) object[name] = encode(value);
    return object;
  }

 protected:
  Json& json_;
};

/// Reads them back. @throws Error(kInput) with the key that is missing or of another type.
class FieldReader {
 public:
  FieldReader(const Json& json, std::string place) : json_(json), place_(std::move(place)) {
    if (!json.is_object())
      throw Error(ErrorKind::kInput, place_ + ": " + found_what(json_shown(json)).allowed("an object"));
  }

  template <class T>
  void operator()(const char* key, T& value) {
    seen_.insert(key);
    decode(key, json_get<Json>(json_, key, place_), value);
  }
  template <class T>
  void sparse(const char* key, T& value) {
    seen_.insert(key);
    if (json_.contains(key)) decode(key, json_.at(key), value);
  }
  void unbounded(const char* key, std::optional<double>& value) {
    seen_.insert(key);
    if (!json_.contains(key)) return;
    value = json_optional<double>(json_, key, place_).value_or(std::numeric_limits<double>::infinity());
  }
  template <class T>
  void part(const char* first_key, std::optional<T>& value) {
    if (json_.contains(first_key)) fields(*this, value.emplace());
  }

 protected:
  template <class T>
  void decode(const std::string& key, const Json& from, T& value) const {
    if constexpr (requires(FieldReader & io) { fields(io, value); }) {
      FieldReader io(from, place_ + ": " + key);
      fields(io, value);
    } else {
      value = json_get<T>(Json{{key, from}}, key, place_);
    }
  }
  template <class T>
  void decode(const std::string& key, const Json& from, std::optional<T>& value) const {
    if (from.is_null()) return value.reset();
    decode(key, from, value.emplace());
  }
  template <class T>
  void decode(const std::string& key, const Json& from, std::vector<T>& items) const {
    if (!from.is_array())
      throw Error(ErrorKind::kInput, place_ + ": " + key + ": " + found_what(json_shown(from)).allowed("a list"));
    for (const auto& item : from) decode(key, item, items.emplace_back());
  }

  const Json& json_;
  std::string place_;  // what errors call the object
  std::set<std::string> seen_;
};

template <class T>
Json fields_to_json(const T& value) {
  return FieldWriter::encode(value);
}

}  // namespace lw
