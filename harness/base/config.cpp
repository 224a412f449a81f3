// The cursor itself: maps, variants, and what is said at the end.
#include "harness/base/config.h"

#include "harness/base/config_state.h"

namespace lw {

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

bool ConfigNode::has(std::string_view key) const { return impl_->describing || impl_->find(key) != nullptr; }

ConfigNode ConfigNode::map(std::string_view key, const std::string& doc) {
  SchemaNode& node = impl_->note(key, SchemaNode::Type::kMap, doc);
  if (impl_->lent && impl_->lent_key == key) return ConfigNode(impl_->lent);
  for (const auto& slot : impl_->slots)
    if (slot.key == key && slot.children.size() == 1 && !slot.is_list && slot.names.empty())
      return ConfigNode(slot.children.front());
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
    slot.children.back()->label += name + " ";
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

ConfigNode ConfigNode::with(std::string_view key, const ConfigNode& child, const Tree& own) const {
  auto impl = std::make_shared<Impl>();
  impl->tree = impl_->tree;
  impl->path = impl_->path;
  impl->remarks = impl_->remarks;
  impl->label = impl_->label;
  impl->describing = impl_->describing;
  impl->root = std::make_shared<SchemaNode>();
  impl->schema = impl->root.get();
  impl->origin = impl_;
  for (const auto& entry : own.entries) {
    impl->own.insert(entry.key);
    impl->tree.set(entry.key, entry.value);
  }
  impl->lent_key = std::string(key);
  impl->lent = child.impl_;
  return ConfigNode(impl);
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
