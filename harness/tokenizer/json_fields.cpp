#include "harness/tokenizer/json_fields.h"

#include <algorithm>
#include <utility>

namespace lw {

std::string short_dump(const Json& value) {
  std::string text = value.dump(-1, ' ', true);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

JsonFields::JsonFields(const Json& object, std::string place, std::string path)
    : object_(object), place_(std::move(place)), path_(std::move(path)) {
  if (!object.is_object())
    throw Error(ErrorKind::kInput, place_ + ": " + path_ + ": found " + short_dump(object) + "; allowed: an object");
}

const Json* JsonFields::take(const char* key) {
  if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.emplace_back(key);
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

const Json& JsonFields::required(const char* key) {
  const Json* value = take(key);
  if (value == nullptr) fail(key, "found nothing; allowed: a value", ErrorKind::kInput);
  return *value;
}

std::string JsonFields::text(const char* key) {
  const Json& value = required(key);
  if (!value.is_string()) fail(key, "found " + short_dump(value) + "; allowed: text", ErrorKind::kInput);
  return value.get<std::string>();
}

std::optional<std::string> JsonFields::optional_text(const char* key) {
  if (take(key) == nullptr) return std::nullopt;
  return text(key);
}

std::string JsonFields::text_or(const char* key, const std::string& fallback) {
  return optional_text(key).value_or(fallback);
}

bool JsonFields::flag(const char* key, std::optional<bool> fallback) {
  if (fallback && take(key) == nullptr) return *fallback;
  const Json& value = required(key);
  if (!value.is_boolean()) fail(key, "found " + short_dump(value) + "; allowed: true, false", ErrorKind::kInput);
  return value.get<bool>();
}

int64_t JsonFields::integer(const char* key, std::optional<int64_t> fallback) {
  if (fallback && take(key) == nullptr) return *fallback;
  const Json& value = required(key);
  if (!JsonFits<int64_t>::check(value))
    fail(key, "found " + short_dump(value) + "; allowed: a whole number", ErrorKind::kInput);
  return value.get<int64_t>();
}

std::vector<JsonFields> JsonFields::objects(const char* key) {
  const Json& list = required(key);
  if (!list.is_array()) fail(key, "found " + short_dump(list) + "; allowed: a list", ErrorKind::kInput);
  std::vector<JsonFields> items;
  for (size_t i = 0; i < list.size(); ++i)
    items.emplace_back(list[i], place_, (path_.empty() ? "" : path_ + ".") + key + "[" + std::to_string(i) + "]");
  return items;
}

void JsonFields::finish() const {
  for (const auto& [key, value] : object_.items())
    if (std::find(asked_.begin(), asked_.end(), key) == asked_.end())
      fail(key, "found " + short_dump(value) + ", a field that is not understood; allowed: " + join(asked_));
}

void JsonFields::fail(const std::string& key, const std::string& found_and_allowed, ErrorKind kind) const {
  throw Error(kind, place_ + ": " + (path_.empty() ? key : path_ + "." + key) + ": " + found_and_allowed);
}

}  // namespace lw
