#include "harness/base/json_fields.h"

#include <algorithm>
#include <utility>

#include "harness/base/json_read.h"
#include "harness/base/text.h"

namespace lw {

std::string short_dump(const Json& value) {
  std::string text = value.dump(-1, ' ', true);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

JsonFields::JsonFields(const Json& object, std::string place, std::string path)
    : object_(&object), place_(std::move(place)), path_(std::move(path)) {
  if (!object.is_object())
    throw Error(ErrorKind::kInput, place_ + ": " + path_ + ": " + found_what(short_dump(object)).allowed("an object"));
}

void JsonFields::mark_read(std::string_view key) {
  if (std::find(read_.begin(), read_.end(), key) == read_.end()) read_.emplace_back(key);
}

const Json* JsonFields::take(std::string_view key) {
  mark_read(key);
  const auto found = object_->find(std::string(key));
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

bool JsonFields::has(std::string_view key) const {
  const auto found = object_->find(std::string(key));
  return found != object_->end() && !found->is_null();
}

bool JsonFields::is_null(std::string_view key) const {
  const auto found = object_->find(std::string(key));
  return found != object_->end() && found->is_null();
}

const Json& JsonFields::required(const char* key) {
  const Json* value = take(key);
  if (value == nullptr) fail(key, found_what("nothing").allowed("a value"));
  return *value;
}

std::string JsonFields::text(const char* key) {
  const Json& value = required(key);
  if (!value.is_string()) fail(key, found_what(short_dump(value)).allowed("text"));
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
  if (!value.is_boolean()) fail(key, found_what(short_dump(value)).allowed("true, false"));
  return value.get<bool>();
}

int64_t JsonFields::integer(const char* key, std::optional<int64_t> fallback) {
  if (fallback && take(key) == nullptr) return *fallback;
  const Json& value = required(key);
  if (!JsonFits<int64_t>::check(value)) fail(key, found_what(short_dump(value)).allowed("a whole number"));
  return value.get<int64_t>();
}

std::vector<JsonFields> JsonFields::objects(const char* key) {
  const Json& list = required(key);
  if (!list.is_array()) fail(key, found_what(short_dump(list)).allowed("a list"));
  std::vector<JsonFields> items;
  for (size_t i = 0; i < list.size(); ++i)
    items.emplace_back(list[i], place_, (path_.empty() ? "" : path_ + ".") + lw::text(key, "[", i, "]"));
  return items;
}

std::vector<std::string> JsonFields::unread() const {
  std::vector<std::string> out;
  for (const auto& [key, value] : object_->items())
    if (std::find(read_.begin(), read_.end(), key) == read_.end()) out.push_back(key);
  return out;
}

void JsonFields::finish() const {
  const auto left = unread();
  if (left.empty()) return;
  fail(left.front(),
       found_what(short_dump((*object_)[left.front()]), ", a field that is not understood").allowed(join(read_)));
}

void JsonFields::fail(std::string_view key, const std::string& found_and_allowed, ErrorKind kind) const {
  throw Error(kind, place_ + ": " + (path_.empty() ? "" : path_ + ".") + std::string(key) + ": " + found_and_allowed);
}

}  // namespace lw
