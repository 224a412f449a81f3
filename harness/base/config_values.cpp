// Scalars and lists of scalars: what is allowed, what was found, what is kept.
#include <algorithm>
#include <type_traits>

#include "harness/base/config_state.h"
#include "harness/base/numbers.h"
#include "harness/base/range_text.h"

namespace lw {
namespace {

template <class T>
std::optional<T> parse(const Tree& value) {
  if (value.kind != Tree::Kind::kScalar || value.quoted) return std::nullopt;
  if constexpr (std::is_integral_v<T>)
    return parse_whole(value.text);
  else
    return parse_number(value.text);
}

template <class T>
void note_range(SchemaNode& node, const Range<T>& range) {
  if (range.min != std::numeric_limits<T>::lowest()) node.min = double(range.min);
  if (range.max != std::numeric_limits<T>::max()) node.max = double(range.max);
  node.above_min = range.above_min;
}

/// A value inside the range, for a cursor that only describes.
template <class T>
T some_allowed(const Range<T>& range) {
  if (range.contains(T(1))) return T(1);
  if (range.max != std::numeric_limits<T>::max()) return range.max;
  return range.min == std::numeric_limits<T>::lowest() ? T(0) : range.min + T(1);
}

std::vector<std::string> names_of(const std::vector<Choice>& choices) {
  std::vector<std::string> names;
  for (const auto& c : choices) names.push_back(c.name);
  return names;
}

/// What reading goes on with in place of a value that was refused.
template <class T>
T instead(const std::optional<T>& fallback, const Range<T>& range) {
  return fallback && range.contains(*fallback) ? *fallback : some_allowed(range);
}

/// Reads one number; absent gives nullopt.
template <class T, class ImplT>
std::optional<T> read_number(ImplT& impl, std::string_view key, const Range<T>& range, const std::string& doc,
                             const std::optional<T>& fallback, bool required) {
  SchemaNode& node = impl.note(key, std::is_integral_v<T> ? SchemaNode::Type::kWhole : SchemaNode::Type::kNumber, doc);
  note_range(node, range);
  node.required = required;
  if (fallback) node.fallback = bound_text(*fallback);
  if (impl.describing) return required ? some_allowed(range) : fallback;
  const Tree* value = impl.find(key);
  if (value == nullptr) {
    if (required) impl.refuse_absent(key, allowed_text(range));
    if (fallback) impl.keep(key, Tree::scalar(bound_text(*fallback)));
    return required ? some_allowed(range) : fallback;
  }
  std::optional<T> parsed = parse<T>(*value);
  if (!parsed || !range.contains(*parsed)) {
    impl.refuse(key, "found " + impl.shown(*value) + "; allowed: " + allowed_text(range));
    parsed = instead(fallback, range);
  }
  impl.keep(key, Tree::scalar(bound_text(*parsed)));
  return parsed;
}

template <class T, class ImplT>
std::vector<T> read_numbers(ImplT& impl, std::string_view key, const std::vector<T>& fallback, const Range<T>& range,
                            const std::string& doc) {
  SchemaNode& node =
      impl.note(key, std::is_integral_v<T> ? SchemaNode::Type::kWholes : SchemaNode::Type::kNumbers, doc);
  note_range(node, range);
  const Tree* value = impl.describing ? nullptr : impl.find(key);
  std::vector<T> out = fallback;
  const std::string allowed = "; allowed: a list, each entry " + allowed_text(range);
  if (value != nullptr && value->kind != Tree::Kind::kList) {
    impl.refuse(key, "found " + impl.shown(*value) + allowed);
  } else if (value != nullptr) {
    out.clear();
    for (const auto& item : value->items) {
      const auto parsed = parse<T>(item);
      if (parsed && range.contains(*parsed))
        out.push_back(*parsed);
      else
        impl.refuse_at(item.pos, key, "found " + impl.shown(item) + " in the list" + allowed);
    }
  }
  Tree list = Tree::list();
  for (const T v : out) list.items.push_back(Tree::scalar(bound_text(v)));
  if (value != nullptr || !fallback.empty()) impl.keep(key, std::move(list));
  return out;
}

}  // namespace

std::string ConfigNode::str(std::string_view key, const std::string& doc) {
  impl_->note(key, SchemaNode::Type::kText, doc).required = true;
  if (impl_->describing) return "text";
  if (impl_->find(key) == nullptr) {
    impl_->refuse_absent(key, "a text");
    return "text";
  }
  return str(key, "", doc);
}

std::string ConfigNode::str(std::string_view key, const std::string& fallback, const std::string& doc) {
  SchemaNode& node = impl_->note(key, SchemaNode::Type::kText, doc);
  const Tree* value = impl_->describing ? nullptr : impl_->find(key);
  if (value == nullptr) {
    node.fallback = fallback;
    if (!fallback.empty()) impl_->keep(key, Tree::scalar(fallback, true));
    return fallback;
  }
  if (value->kind != Tree::Kind::kScalar) {
    impl_->refuse(key, "found " + Impl::shown(*value) + "; allowed: a text");
    return fallback;
  }
  impl_->keep(key, Tree::scalar(value->text, true));
  return value->text;
}

std::optional<std::string> ConfigNode::optional_str(std::string_view key, const std::string& doc) {
  impl_->note(key, SchemaNode::Type::kText, doc);
  if (impl_->describing || impl_->find(key) == nullptr) return std::nullopt;
  return str(key, "", doc);
}

int64_t ConfigNode::integer(std::string_view key, Range<int64_t> allowed, const std::string& doc) {
  return *read_number<int64_t>(*impl_, key, allowed, doc, std::nullopt, true);
}
int64_t ConfigNode::integer(std::string_view key, int64_t fallback, Range<int64_t> allowed, const std::string& doc) {
  return *read_number<int64_t>(*impl_, key, allowed, doc, fallback, false);
}
double ConfigNode::number(std::string_view key, Range<double> allowed, const std::string& doc) {
  return *read_number<double>(*impl_, key, allowed, doc, std::nullopt, true);
}
double ConfigNode::number(std::string_view key, double fallback, Range<double> allowed, const std::string& doc) {
  return *read_number<double>(*impl_, key, allowed, doc, fallback, false);
}
std::optional<double> ConfigNode::optional_number(std::string_view key, Range<double> allowed, const std::string& doc) {
  return read_number<double>(*impl_, key, allowed, doc, std::nullopt, false);
}
std::optional<int64_t> ConfigNode::optional_integer(std::string_view key, Range<int64_t> allowed,
                                                    const std::string& doc) {
  return read_number<int64_t>(*impl_, key, allowed, doc, std::nullopt, false);
}
std::vector<int64_t> ConfigNode::integers(std::string_view key, const std::vector<int64_t>& fallback,
                                          Range<int64_t> allowed, const std::string& doc) {
  return read_numbers<int64_t>(*impl_, key, fallback, allowed, doc);
}
std::vector<double> ConfigNode::numbers(std::string_view key, const std::vector<double>& fallback,
                                        Range<double> allowed, const std::string& doc) {
  return read_numbers<double>(*impl_, key, fallback, allowed, doc);
}

bool ConfigNode::flag(std::string_view key, bool fallback, const std::string& doc) {
  SchemaNode& node = impl_->note(key, SchemaNode::Type::kFlag, doc);
  node.fallback = fallback ? "true" : "false";
  const Tree* value = impl_->describing ? nullptr : impl_->find(key);
  if (value != nullptr) {
    if (value->kind != Tree::Kind::kScalar || value->quoted || (value->text != "true" && value->text != "false"))
      impl_->refuse(key, "found " + Impl::shown(*value) + "; allowed: true or false");
    else
      fallback = value->text == "true";
  }
  impl_->keep(key, Tree::scalar(fallback ? "true" : "false"));
  return fallback;
}

std::string ConfigNode::choice(std::string_view key, const std::vector<Choice>& choices, std::string_view fallback,
                               const std::string& doc) {
  SchemaNode& node = impl_->note(key, SchemaNode::Type::kChoice, doc);
  const auto names = names_of(choices);
  node.choices = names;
  node.choice_docs.clear();
  for (const auto& c : choices) node.choice_docs.push_back(c.summary);
  node.required = fallback.empty();
  if (!fallback.empty()) node.fallback = std::string(fallback);
  if (impl_->describing) return fallback.empty() ? names.front() : std::string(fallback);
  const Tree* value = impl_->find(key);
  std::string word(fallback);
  if (value == nullptr && fallback.empty()) {
    impl_->refuse_absent(key, join(names));
    return names.front();
  }
  if (value != nullptr) {
    if (value->kind != Tree::Kind::kScalar || std::find(names.begin(), names.end(), value->text) == names.end()) {
      impl_->refuse(key,
                    "found " + Impl::shown(*value) + "; allowed: " + join(names) + did_you_mean(value->text, names));
      return fallback.empty() ? names.front() : word;
    }
    word = value->text;
  }
  impl_->keep(key, Tree::scalar(word, true));
  return word;
}

std::vector<std::string> ConfigNode::words(std::string_view key, const std::vector<std::string>& fallback,
                                           const std::string& doc) {
  impl_->note(key, SchemaNode::Type::kWords, doc);
  const Tree* value = impl_->describing ? nullptr : impl_->find(key);
  std::vector<std::string> out = fallback;
  if (value != nullptr && value->kind != Tree::Kind::kList) {
    impl_->refuse(key, "found " + Impl::shown(*value) + "; allowed: a list of words");
  } else if (value != nullptr) {
    out.clear();
    for (const auto& item : value->items) {
      if (item.kind == Tree::Kind::kScalar)
        out.push_back(item.text);
      else
        impl_->refuse_at(item.pos, key, "found " + Impl::shown(item) + " in the list; allowed: a list of words");
    }
  }
  Tree list = Tree::list();
  for (const auto& word : out) list.items.push_back(Tree::scalar(word, true));
  if (value != nullptr || !out.empty()) impl_->keep(key, std::move(list));
  return out;
}

}  // namespace lw
