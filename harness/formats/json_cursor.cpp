#include "harness/formats/json_cursor.h"

#include <algorithm>
#include <set>

#include "harness/base/error.h"
#include "harness/base/numbers.h"
#include "harness/base/printable.h"
#include "harness/base/range_text.h"

namespace lw {

struct JsonCursor::Node {
  const SortedJson* object = nullptr;  // points into Shared::root, or at an empty object
  std::string path;
  std::set<std::string> read;
  std::vector<std::shared_ptr<Node>> below;
};

struct JsonCursor::Shared {
  SortedJson root;
  SortedJson nothing = SortedJson::object();
  std::string place, file;
  std::vector<Origin> origins;
};

JsonCursor::JsonCursor(SortedJson object, std::string place, std::string file)
    : shared_(std::make_shared<Shared>()), node_(std::make_shared<Node>()) {
  shared_->root = std::move(object);
  shared_->place = std::move(place);
  shared_->file = std::move(file);
  node_->object = &shared_->root;
  if (!shared_->root.is_object()) fail("", "found " + json_shown(shared_->root) + "; allowed: an object");
}

JsonCursor::JsonCursor(std::shared_ptr<Shared> shared, std::shared_ptr<Node> node)
    : shared_(std::move(shared)), node_(std::move(node)) {}

std::string JsonCursor::path(const std::string& key) const {
  if (node_->path.empty() || key.empty()) return node_->path + printable(key);
  return node_->path + "." + printable(key);
}

void JsonCursor::fail(const std::string& key, const std::string& found_and_allowed) const {
  const std::string at = path(key);
  throw Error(ErrorKind::kInput, shared_->place + ": " + (at.empty() ? "" : at + ": ") + found_and_allowed);
}

void JsonCursor::note(const std::string& name, const SortedJson& value, Origin::Kind kind, const std::string& source) {
  // A float32 that was widened (GGUF) is shown as the float32 that it is.
  const double number = value.is_number_float() ? value.get<double>() : 0.0;
  const bool is_single = value.is_number_float() && double{static_cast<float>(number)} == number;
  Origin origin{path(name), is_single ? format_float(static_cast<float>(number)) : json_shown(value), kind, source};
  auto& all = shared_->origins;
  if (std::find(all.begin(), all.end(), origin) == all.end()) all.push_back(std::move(origin));  // read again: once
}

void JsonCursor::note_default(const std::string& name, const SortedJson& value, const std::string& why) {
  note(name, value, Origin::Kind::kDefault, why);
}

const SortedJson* JsonCursor::peek(const std::string& key) const {
  const auto found = node_->object->find(key);
  return found == node_->object->end() || found->is_null() ? nullptr : &*found;
}

bool JsonCursor::has(const std::string& key) const { return peek(key) != nullptr; }

std::vector<std::string> JsonCursor::key_names() const {
  std::vector<std::string> names;
  for (const auto& [key, value] : node_->object->items()) names.push_back(key);
  return names;
}

const SortedJson* JsonCursor::take(const Keys& keys, std::string& found) {
  const SortedJson* value = nullptr;
  for (const auto& name : keys.all()) {
    node_->read.insert(name);
    const SortedJson* here = peek(name);
    if (here == nullptr) continue;
    if (value != nullptr && *value != *here)
      fail(name, "found " + json_shown(*here) + ", where " + found + " says " + json_shown(*value) +
                     "; allowed: one value under both names");
    if (value == nullptr) found = name;
    if (value == nullptr) value = here;
  }
  if (value != nullptr) note(keys.name(), *value, Origin::Kind::kRead, shared_->file + ": " + path(found));
  return value;
}

template <class T>
std::optional<T> JsonCursor::read(const Keys& keys, const std::string& allowed, const std::vector<std::string>* words) {
  std::string key;
  const SortedJson* value = take(keys, key);
  if (value == nullptr) return std::nullopt;
  const auto refuse = [&](const std::string& near) {
    fail(key, "found " + json_shown(*value) + "; allowed: " + allowed + near);
  };
  if constexpr (std::is_same_v<T, bool>) {
    if (!value->is_boolean()) refuse("");
  } else {
    if (!value->is_string()) refuse("");
  }
  T out = value->get<T>();
  if constexpr (std::is_same_v<T, std::string>)
    if (words != nullptr && std::find(words->begin(), words->end(), out) == words->end())
      refuse(did_you_mean(out, *words));
  return out;
}

template <class T>
std::optional<T> JsonCursor::read_number(const Keys& keys, const Range<T>& range) {
  std::string key;
  const SortedJson* value = take(keys, key);
  if (value == nullptr) return std::nullopt;
  if (!JsonFits<T>::check(*value) || !range.contains(value->get<T>()))
    fail(key, "found " + json_shown(*value) + "; allowed: " + allowed_text(range));
  return value->get<T>();
}

template <class T>
std::optional<std::vector<T>> JsonCursor::read_list(const Keys& keys, const Range<T>& range) {
  std::string key;
  const SortedJson* value = take(keys, key);
  if (value == nullptr) return std::nullopt;
  const auto checked = [&](const SortedJson& item) {
    if (!JsonFits<T>::check(item) || !range.contains(item.get<T>()))
      fail(key, "found " + json_shown(item) + (value->is_array() ? " in the list" : "") +
                    "; allowed: " + allowed_text(range) + ", or a list of them");
    return item.get<T>();
  };
  if (!value->is_array()) return std::vector<T>{checked(*value)};
  std::vector<T> out;
  for (const auto& item : *value) out.push_back(checked(item));
  return out;
}

template <class T>
T JsonCursor::or_fail(std::optional<T> value, const Keys& keys, const std::string& allowed) const {
  if (value) return *value;
  fail(join(keys.all(), " or "), "found nothing; allowed: " + allowed);
}

int64_t JsonCursor::integer(const Keys& keys, Range<int64_t> allowed) {
  return or_fail(optional_integer(keys, allowed), keys, allowed_text(allowed));
}
int64_t JsonCursor::integer(const Keys& keys, Range<int64_t> allowed, int64_t fallback, const std::string& why) {
  return fill(optional_integer(keys, allowed), keys.name(), fallback, why);
}
std::optional<int64_t> JsonCursor::optional_integer(const Keys& keys, Range<int64_t> allowed) {
  return read_number(keys, allowed);
}

double JsonCursor::number(const Keys& keys, Range<double> allowed) {
  return or_fail(optional_number(keys, allowed), keys, allowed_text(allowed));
}
double JsonCursor::number(const Keys& keys, Range<double> allowed, double fallback, const std::string& why) {
  return fill(optional_number(keys, allowed), keys.name(), fallback, why);
}
std::optional<double> JsonCursor::optional_number(const Keys& keys, Range<double> allowed) {
  return read_number(keys, allowed);
}

bool JsonCursor::flag(const Keys& keys) { return or_fail(optional_flag(keys), keys, "true, false"); }
bool JsonCursor::flag(const Keys& keys, bool fallback, const std::string& why) {
  return fill(optional_flag(keys), keys.name(), fallback, why);
}
std::optional<bool> JsonCursor::optional_flag(const Keys& keys) { return read<bool>(keys, "true, false"); }

std::string JsonCursor::text(const Keys& keys) { return or_fail(optional_text(keys), keys, "a text"); }
std::string JsonCursor::text(const Keys& keys, const std::string& fallback, const std::string& why) {
  return fill(optional_text(keys), keys.name(), fallback, why);
}
std::optional<std::string> JsonCursor::optional_text(const Keys& keys) { return read<std::string>(keys, "a text"); }

std::string JsonCursor::choice(const Keys& keys, const std::vector<std::string>& allowed, const std::string& fallback,
                               const std::string& why) {
  const auto value = read<std::string>(keys, join(allowed), &allowed);
  return fallback.empty() ? or_fail(value, keys, join(allowed)) : fill(value, keys.name(), fallback, why);
}

std::optional<std::vector<int64_t>> JsonCursor::optional_integers(const Keys& keys, Range<int64_t> allowed) {
  return read_list(keys, allowed);
}
std::optional<std::vector<double>> JsonCursor::optional_numbers(const Keys& keys, Range<double> allowed) {
  return read_list(keys, allowed);
}
std::optional<std::vector<std::string>> JsonCursor::optional_texts(const Keys& keys) {
  std::string key;
  const SortedJson* value = take(keys, key);
  if (value == nullptr) return std::nullopt;
  const bool fits =
      value->is_array() && std::all_of(value->begin(), value->end(), [](const SortedJson& v) { return v.is_string(); });
  if (!fits) fail(key, "found " + json_shown(*value) + "; allowed: a list of texts");
  return value->get<std::vector<std::string>>();
}

JsonCursor JsonCursor::object(const std::string& key) {
  node_->read.insert(key);
  const SortedJson* value = peek(key);
  if (value != nullptr && !value->is_object()) fail(key, "found " + json_shown(*value) + "; allowed: an object");
  const std::string below_path = path(key);
  for (const auto& below : node_->below)
    if (below->path == below_path) return {shared_, below};
  auto below = std::make_shared<Node>();
  below->object = value != nullptr ? value : &shared_->nothing;
  below->path = below_path;
  node_->below.push_back(below);
  return {shared_, below};
}

void JsonCursor::no_effect(const std::vector<std::string>& keys, const std::string& why) {
  for (const auto& key : keys) {
    if (node_->read.insert(key).second && has(key)) note(key, *peek(key), Origin::Kind::kNoEffect, why);
  }
}

void JsonCursor::no_effect_below(const std::string& prefix, const std::string& why) {
  for (const auto& key : key_names())
    if (key.rfind(prefix, 0) == 0) no_effect({key}, why);
}

void JsonCursor::only(const Keys& keys, const std::vector<SortedJson>& allowed, const std::string& why) {
  std::string key;
  const SortedJson* value = take(keys, key);
  if (value == nullptr || std::find(allowed.begin(), allowed.end(), *value) != allowed.end()) return;
  std::vector<std::string> texts;
  for (const auto& one : allowed) texts.push_back(one.dump());
  fail(key, "found " + json_shown(*value) + "; allowed: " + join(texts) + " (" + why + ")");
}

void JsonCursor::finish() const {
  std::vector<std::string> unread, known;
  std::vector<const Node*> waiting = {node_.get()};
  while (!waiting.empty()) {
    const Node& node = *waiting.back();
    waiting.pop_back();
    const std::string prefix = node.path.empty() ? "" : node.path + ".";
    for (const auto& [key, value] : node.object->items())
      if (node.read.count(key) == 0 && !value.is_null()) unread.push_back(prefix + printable(key));
    for (const auto& key : node.read) known.push_back(prefix + key);
    for (const auto& below : node.below) waiting.push_back(below.get());
  }
  if (unread.empty()) return;
  std::sort(unread.begin(), unread.end());
  constexpr size_t kNamed = 8;
  const std::string near = did_you_mean(unread.front(), known);
  const bool is_one = unread.size() == 1;
  const std::string more = unread.size() > kNamed ? " and " + std::to_string(unread.size() - kNamed) + " more" : "";
  unread.resize(std::min(unread.size(), kNamed));
  throw Error(ErrorKind::kInput, shared_->place + ": " + join(unread) + more + ": found " +
                                     (is_one ? "a key that is" : "keys that are") +
                                     " not understood, so the model might differ from the one that is meant; allowed: "
                                     "keys that are" +
                                     near);
}

const std::vector<Origin>& JsonCursor::origins() const { return shared_->origins; }

const std::string& JsonCursor::place() const { return shared_->place; }

}  // namespace lw
