#include "harness/base/config.h"

#include <algorithm>
#include <set>
#include <type_traits>

#include "harness/base/numbers.h"

namespace lw {

struct ConfigNode::Impl {
  struct Slot {  // one key that was read
    std::string key;
    std::optional<Tree> value;                    // scalars and lists of scalars
    std::vector<std::shared_ptr<Impl>> children;  // maps
    bool is_list = false;
    std::vector<std::string> names = {};  // of the children, when the user chose them
  };

  Tree tree;
  std::string path;
  bool describing = false;
  std::shared_ptr<SchemaNode> root;  // owns every schema node below
  SchemaNode* schema = nullptr;
  std::string variant;  // the choice whose options are being read, "" outside
  std::vector<Slot> slots;
  std::set<std::string> known;

  std::string key_path(std::string_view key) const {
    if (key.empty()) return path;
    return path.empty() ? std::string(key) : path + "." + std::string(key);
  }

  const Tree* find(std::string_view key) const {
    const Tree* value = tree.find(key);
    return value != nullptr && value->kind == Tree::Kind::kNull ? nullptr : value;  // `key:` alone is absent
  }

  static SourcePos place_of(const Tree::Entry& entry) {
    const bool nothing = entry.value.kind == Tree::Kind::kNull || entry.value.pos.line == 0;
    return nothing ? entry.key_pos : entry.value.pos;
  }

  SourcePos place(std::string_view key) const {
    for (const auto& entry : tree.entries)
      if (entry.key == key) return place_of(entry);
    return tree.pos;
  }

  [[noreturn]] void fail(std::string_view key, const std::string& what) const {
    fail_at(place(key), key_path(key), what);
  }

  [[noreturn]] static void fail_at(const SourcePos& at, const std::string& name, const std::string& what) {
    std::string text = at.str();
    for (const std::string& part : {name, what}) {
      if (part.empty()) continue;
      text += text.empty() ? part : ": " + part;
    }
    throw Error(ErrorKind::kConfig, text);
  }

  SchemaNode& note(std::string_view key, SchemaNode::Type type, const std::string& doc) {
    const std::string name(key);
    known.insert(name);
    SchemaNode& node = schema->add(name);
    node.type = type;
    node.doc = doc;
    if (!variant.empty()) schema->only_with[variant].insert(name);
    return node;
  }

  void keep(std::string_view key, Tree value) {
    value.pos = {};
    for (auto& slot : slots) {
      if (slot.key == key) {
        slot.value = std::move(value);
        return;
      }
    }
    slots.push_back({std::string(key), std::move(value), {}, false, {}});
  }

  /// @param where stands for the place of a mapping that is not there.
  std::shared_ptr<Impl> child(const Tree* value, const SourcePos& where, const std::string& child_path,
                              SchemaNode& node) {
    auto impl = std::make_shared<Impl>();
    if (value != nullptr) {
      if (!value->is_map()) fail_at(value->pos, child_path, "found " + shown(*value) + "; allowed: a mapping of keys");
      impl->tree = *value;
    } else {
      impl->tree = Tree::map();
      impl->tree.pos = where;
    }
    impl->path = child_path;
    impl->describing = describing;
    impl->root = root;
    impl->schema = &node;
    return impl;
  }

  static std::string shown(const Tree& value) {
    switch (value.kind) {
      case Tree::Kind::kNull:
        return "nothing";
      case Tree::Kind::kMap:
        return "a mapping";
      case Tree::Kind::kList:
        return "a list";
      default:
        return value.quoted ? "the text \"" + value.text + "\"" : "'" + value.text + "'";
    }
  }

  void finish() const {
    std::vector<std::string> names(known.begin(), known.end());
    for (const auto& entry : tree.entries) {
      if (known.count(entry.key) != 0) continue;
      const std::string allowed = names.empty() ? "no keys here" : join(names);
      throw Error(ErrorKind::kConfig, entry.key_pos.str() + ": " + key_path(entry.key) +
                                          ": found an unknown key; allowed: " + allowed +
                                          did_you_mean(entry.key, names));
    }
    for (const auto& slot : slots)
      for (const auto& below : slot.children) below->finish();
  }

  Tree resolved() const {
    Tree out = Tree::map();
    for (const auto& slot : slots) {
      if (slot.value) {
        out.set(slot.key, *slot.value);
      } else if (slot.is_list) {
        Tree list = Tree::list();
        for (const auto& below : slot.children) list.items.push_back(below->resolved());
        out.set(slot.key, std::move(list));
      } else if (!slot.names.empty()) {
        Tree named = Tree::map();
        for (size_t i = 0; i < slot.names.size(); ++i) named.set(slot.names[i], slot.children[i]->resolved());
        out.set(slot.key, std::move(named));
      } else if (Tree below = slot.children.front()->resolved(); !below.entries.empty()) {
        out.set(slot.key, std::move(below));
      }
    }
    return out;
  }
};

namespace {

std::string bound_text(int64_t v) { return std::to_string(v); }
std::string bound_text(double v) { return format_number(v); }

template <class T>
std::string allowed_text(const Range<T>& range) {
  std::string text = std::is_integral_v<T> ? "a whole number" : "a number";
  const bool low = range.min != std::numeric_limits<T>::lowest(), high = range.max != std::numeric_limits<T>::max();
  if (low && range.above_min) {
    text += " above " + bound_text(range.min);
    if (high) text += " and up to " + bound_text(range.max);
  } else if (low && high) {
    text += " from " + bound_text(range.min) + " to " + bound_text(range.max);
  } else if (low) {
    text += ", " + bound_text(range.min) + " or more";
  } else if (high) {
    text += ", " + bound_text(range.max) + " or less";
  }
  return text;
}

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
T placeholder(const Range<T>& range) {
  if (range.contains(T(1))) return T(1);
  if (range.max != std::numeric_limits<T>::max()) return range.max;
  return range.min == std::numeric_limits<T>::lowest() ? T(0) : range.min + T(1);
}

std::vector<std::string> names_of(const std::vector<Choice>& choices) {
  std::vector<std::string> names;
  for (const auto& c : choices) names.push_back(c.name);
  return names;
}

/// Reads one number; absent gives nullopt.
template <class T, class ImplT>
std::optional<T> read_number(ImplT& impl, std::string_view key, const Range<T>& range, const std::string& doc,
                             const std::optional<T>& fallback, bool required) {
  SchemaNode& node = impl.note(key, std::is_integral_v<T> ? SchemaNode::Type::kWhole : SchemaNode::Type::kNumber, doc);
  note_range(node, range);
  node.required = required;
  if (fallback) node.fallback = bound_text(*fallback);
  if (impl.describing) return fallback ? *fallback : placeholder(range);
  const Tree* value = impl.find(key);
  if (value == nullptr) {
    if (required) impl.fail(key, "found nothing; allowed: " + allowed_text(range));
    if (fallback) impl.keep(key, Tree::scalar(bound_text(*fallback)));
    return fallback;
  }
  const std::optional<T> parsed = parse<T>(*value);
  if (!parsed || !range.contains(*parsed))
    impl.fail(key, "found " + impl.shown(*value) + "; allowed: " + allowed_text(range));
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
  if (value != nullptr) {
    out.clear();
    const std::string allowed = "; allowed: a list, each entry " + allowed_text(range);
    if (value->kind != Tree::Kind::kList) impl.fail(key, "found " + impl.shown(*value) + allowed);
    for (const auto& item : value->items) {
      const auto parsed = parse<T>(item);
      if (!parsed || !range.contains(*parsed))
        impl.fail_at(item.pos, impl.key_path(key), "found " + impl.shown(item) + " in the list" + allowed);
      out.push_back(*parsed);
    }
  }
  Tree list = Tree::list();
  for (const T v : out) list.items.push_back(Tree::scalar(bound_text(v)));
  if (value != nullptr || !fallback.empty()) impl.keep(key, std::move(list));
  return out;
}

}  // namespace

ConfigNode::ConfigNode(const Tree& tree) : impl_(std::make_shared<Impl>()) {
  impl_->root = std::make_shared<SchemaNode>();
  impl_->schema = impl_->root.get();
  impl_->tree = tree.kind == Tree::Kind::kNull ? Tree::map() : tree;
  impl_->tree.pos = tree.pos;
  if (!impl_->tree.is_map()) impl_->fail("", "found " + Impl::shown(tree) + "; allowed: a mapping of keys");
}

ConfigNode ConfigNode::parse(const std::string& text, const std::string& name) {
  return ConfigNode(parse_yaml(text, name));
}

ConfigNode ConfigNode::describing() {
  ConfigNode node{Tree::map()};
  node.impl_->describing = true;
  return node;
}

std::string ConfigNode::str(std::string_view key, const std::string& doc) {
  impl_->note(key, SchemaNode::Type::kText, doc).required = true;
  if (impl_->describing) return "text";
  if (impl_->find(key) == nullptr) fail(key, "found nothing; allowed: a text");
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
  if (value->kind != Tree::Kind::kScalar) fail(key, "found " + Impl::shown(*value) + "; allowed: a text");
  impl_->keep(key, Tree::scalar(value->text, true));
  return value->text;
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
      fail(key, "found " + Impl::shown(*value) + "; allowed: true or false");
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
  if (value == nullptr && fallback.empty()) fail(key, "found nothing; allowed: " + join(names));
  if (value != nullptr) {
    if (value->kind != Tree::Kind::kScalar || std::find(names.begin(), names.end(), value->text) == names.end())
      fail(key, "found " + Impl::shown(*value) + "; allowed: " + join(names) + did_you_mean(value->text, names));
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
  if (value != nullptr) {
    out.clear();
    if (value->kind != Tree::Kind::kList) fail(key, "found " + Impl::shown(*value) + "; allowed: a list of words");
    for (const auto& item : value->items) {
      if (item.kind != Tree::Kind::kScalar)
        Impl::fail_at(item.pos, impl_->key_path(key),
                      "found " + Impl::shown(item) + " in the list; allowed: a list of words");
      out.push_back(item.text);
    }
  }
  Tree list = Tree::list();
  for (const auto& word : out) list.items.push_back(Tree::scalar(word, true));
  if (value != nullptr || !out.empty()) impl_->keep(key, std::move(list));
  return out;
}

bool ConfigNode::has(std::string_view key) const { return impl_->describing || impl_->find(key) != nullptr; }

ConfigNode ConfigNode::map(std::string_view key, const std::string& doc) {
  SchemaNode& node = impl_->note(key, SchemaNode::Type::kMap, doc);
  auto child =
      impl_->child(impl_->describing ? nullptr : impl_->find(key), impl_->place(key), impl_->key_path(key), node);
  impl_->slots.push_back({std::string(key), std::nullopt, {child}, false, {}});
  return ConfigNode(child);
}

std::vector<ConfigNode> ConfigNode::maps(std::string_view key, const std::string& doc) {
  SchemaNode& node = impl_->note(key, SchemaNode::Type::kMaps, doc);
  std::vector<ConfigNode> out;
  Impl::Slot slot{std::string(key), std::nullopt, {}, true, {}};
  if (impl_->describing) {
    slot.children.push_back(impl_->child(nullptr, {}, impl_->key_path(key) + "[0]", node));
  } else if (const Tree* value = impl_->find(key)) {
    if (value->kind != Tree::Kind::kList) fail(key, "found " + Impl::shown(*value) + "; allowed: a list of mappings");
    for (size_t i = 0; i < value->items.size(); ++i)
      slot.children.push_back(
          impl_->child(&value->items[i], {}, impl_->key_path(key) + "[" + std::to_string(i) + "]", node));
  }
  for (const auto& child : slot.children) out.push_back(ConfigNode(child));
  if (!slot.children.empty()) impl_->slots.push_back(std::move(slot));
  return out;
}

std::vector<std::pair<std::string, ConfigNode>> ConfigNode::named_maps(std::string_view key, const std::string& doc) {
  SchemaNode& node = impl_->note(key, SchemaNode::Type::kNamedMaps, doc);
  std::vector<std::pair<std::string, ConfigNode>> out;
  Impl::Slot slot{std::string(key), std::nullopt, {}, false, {}};
  const auto add = [&](const std::string& name, const Tree* value, const SourcePos& where) {
    slot.names.push_back(name);
    slot.children.push_back(impl_->child(value, where, impl_->key_path(key) + "." + name, node));
    out.emplace_back(name, ConfigNode(slot.children.back()));
  };
  if (impl_->describing) {
    add("*", nullptr, {});
  } else if (const Tree* value = impl_->find(key)) {
    if (!value->is_map()) fail(key, "found " + Impl::shown(*value) + "; allowed: a mapping of names to mappings");
    for (const auto& entry : value->entries)
      add(entry.key, entry.value.kind == Tree::Kind::kNull ? nullptr : &entry.value, Impl::place_of(entry));
  }
  if (!slot.children.empty()) impl_->slots.push_back(std::move(slot));
  return out;
}

void ConfigNode::variant(std::string_view key, const std::vector<Choice>& choices, std::string_view fallback,
                         const std::string& doc, const std::function<void(size_t)>& read) {
  const std::string chosen = choice(key, choices, fallback, doc);
  impl_->schema->variant_key = std::string(key);
  for (size_t i = 0; i < choices.size(); ++i) {
    if (!impl_->describing && choices[i].name != chosen) continue;
    impl_->variant = choices[i].name;
    impl_->schema->only_with[impl_->variant];
    read(i);
  }
  impl_->variant.clear();
}

Tree ConfigNode::take(std::string_view key, const std::string& doc, const SchemaNode& shape) {
  SchemaNode& node = impl_->note(key, shape.type, doc);
  node.keys = shape.keys;
  const Tree* value = impl_->describing ? nullptr : impl_->find(key);
  if (value == nullptr) return {};
  impl_->keep(key, *value);
  return *value;
}

void ConfigNode::require(bool ok, std::string_view key, const std::string& found_and_allowed) const {
  if (!ok && !impl_->describing) fail(key, found_and_allowed);
}
void ConfigNode::fail(std::string_view key, const std::string& found_and_allowed) const {
  impl_->fail(key, found_and_allowed);
}
bool ConfigNode::is_describing() const { return impl_->describing; }
void ConfigNode::finish() const { impl_->finish(); }
Tree ConfigNode::resolved() const { return impl_->resolved(); }
const SchemaNode& ConfigNode::schema() const { return *impl_->schema; }
std::string ConfigNode::path() const { return impl_->path; }

}  // namespace lw
