// The cursor itself: maps, variants, checks, and what is said at the end.
#include "harness/base/config.h"

#include <algorithm>

#include "harness/base/config_state.h"

namespace lw {

ConfigNode::ConfigNode(const Tree& tree) : impl_(std::make_shared<Impl>()) {
  impl_->root = std::make_shared<SchemaNode>();
  impl_->schema = impl_->root.get();
  impl_->tree = tree.kind == Tree::Kind::kNull ? Tree::map() : tree;
  impl_->tree.pos = tree.pos;
  if (!impl_->tree.is_map())
    impl_->report({tree.pos, "", "found " + Impl::shown(tree) + "; allowed: a mapping of keys"});
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
  if (impl_->describing) return ConfigNode(impl_->child(nullptr, {}, impl_->key_path(key), node));
  for (const auto& slot : impl_->slots)
    if (slot.key == key && slot.children.size() == 1 && slot.names.empty()) return ConfigNode(slot.children.front());
  auto child = impl_->child(impl_->find(key), impl_->place(key), impl_->key_path(key), node);
  impl_->slots.push_back({std::string(key), std::nullopt, {child}, {}});
  return ConfigNode(child);
}

std::vector<std::pair<std::string, ConfigNode>> ConfigNode::named_maps(std::string_view key, const std::string& doc,
                                                                       const std::string& chosen_by_name) {
  SchemaNode& node = impl_->note(key, SchemaNode::Type::kNamedMaps, doc);
  node.chosen_by_name = chosen_by_name;
  SchemaNode& each = node.add("*");
  std::vector<std::pair<std::string, ConfigNode>> out;
  if (impl_->describing) {
    out.emplace_back("*", ConfigNode(impl_->child(nullptr, {}, impl_->key_path(key) + ".*", each)));
    return out;
  }
  const Tree* value = impl_->find(key);
  if (value == nullptr) return out;
  if (!value->is_map()) {
    impl_->refuse(key, "found " + Impl::shown(*value) + "; allowed: a mapping of names to mappings");
    return out;
  }
  Impl::Slot slot{std::string(key), std::nullopt, {}, {}};
  for (const auto& entry : value->entries) {
    const Tree* own = entry.value.kind == Tree::Kind::kNull ? nullptr : &entry.value;
    slot.names.push_back(entry.key);
    slot.children.push_back(impl_->child(own, Impl::place_of(entry), impl_->key_path(key) + "." + entry.key, each));
    slot.children.back()->label += entry.key + " ";
    out.emplace_back(entry.key, ConfigNode(slot.children.back()));
  }
  if (!slot.children.empty()) impl_->slots.push_back(std::move(slot));
  return out;
}

void ConfigNode::variant(std::string_view key, const std::vector<Choice>& choices, std::string_view fallback,
                         const std::string& doc, const std::function<void(size_t)>& read) {
  const size_t before = impl_->errors->problems.size();
  const std::string chosen = choice(key, choices, fallback, doc);
  const bool unknown = impl_->errors->problems.size() > before || (impl_->not_a_map && fallback.empty());
  if (unknown) impl_->any_key = true;
  if (unknown && fallback.empty()) throw SectionEnds{};  // which options to read is not known
  SchemaNode* const outside = impl_->schema;
  SchemaNode::Variant& variant = outside->add_variant(std::string(key));
  if (!fallback.empty()) variant.fallback = std::string(fallback);
  const auto read_as = [&](size_t i) {
    impl_->schema = &variant.add(choices[i].name);
    try {
      read(i);
    } catch (...) {
      impl_->schema = outside;
      throw;
    }
    impl_->schema = outside;
  };
  size_t at = 0;
  for (size_t i = 0; i < choices.size(); ++i) {
    if (choices[i].name == chosen) at = i;
    if (impl_->describing) read_as(i);
  }
  read_as(at);
}

void ConfigNode::note_old_name(std::string_view old_name, std::string_view key) {
  auto& names = impl_->schema->add_variant(std::string(key)).old_names;
  if (std::find(names.begin(), names.end(), old_name) == names.end()) names.emplace_back(old_name);
}

Tree ConfigNode::take(std::string_view key, const std::string& doc, const SchemaNode& shape) {
  SchemaNode& node = impl_->note(key, shape.type, doc);
  node.keys = shape.keys;
  const Tree* value = impl_->describing ? nullptr : impl_->find(key);
  if (value == nullptr) return {};
  impl_->keep(key, *value);
  return *value;
}

void ConfigNode::ignore(const std::string& prefix) {
  impl_->ignored_prefix = prefix;
  impl_->schema->ignored_prefix = prefix;
}

void ConfigNode::ignore_nulls() { impl_->ignores_nulls = true; }

void ConfigNode::refuse(std::string_view key, const std::string& found_and_allowed) const {
  if (impl_->describing || impl_->find(key) == nullptr) return;
  impl_->known.insert(std::string(key));
  impl_->refuse(key, found_and_allowed);
}

ConfigNode ConfigNode::with(std::string_view key, const ConfigNode& child, const Tree& own) const {
  auto impl = std::make_shared<Impl>();
  impl->tree = impl_->tree;
  impl->path = impl_->path;
  impl->describing = impl_->describing;
  impl->root = std::make_shared<SchemaNode>();
  impl->schema = impl->root.get();
  impl->errors = impl_->errors;
  impl->remarks = impl_->remarks;
  impl->label = impl_->label;
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
  if (ok || impl_->describing) return;
  if (impl_->errors->section_has_any() && impl_->errors->collected) throw SectionEnds{};
  fail(key, found_and_allowed);
}

bool ConfigNode::expect(bool ok, std::string_view key, const std::string& found_and_allowed) const {
  if (ok || impl_->describing) return true;
  if (impl_->errors->sound && !impl_->refused)
    impl_->report({impl_->place(key), impl_->key_path(key), found_and_allowed});
  return false;
}

void ConfigNode::fail(std::string_view key, const std::string& found_and_allowed) const {
  impl_->fail(key, found_and_allowed);
}

void ConfigNode::verify(const std::function<void()>& check) const {
  const bool refused = impl_->errors->collected && impl_->errors->section_has_any();
  if (!impl_->describing && !refused) check();
}

void ConfigNode::describe(const std::function<void()>& read) const {
  if (impl_->describing) read();
}

void ConfigNode::collect() { impl_->errors->collected = true; }

bool ConfigNode::section(const std::function<void()>& read, bool sound) const {
  Impl::Errors& errors = *impl_->errors;
  const size_t before = errors.problems.size(), outer = errors.before_section;
  const size_t first_slot = impl_->slots.size();
  const bool outer_sound = errors.sound;
  bool to_the_end = true;
  errors.before_section = before;
  errors.sound = sound && outer_sound;
  const auto leave = [&] {
    errors.before_section = outer;
    errors.sound = outer_sound;
  };
  try {
    read();
  } catch (const SectionEnds&) {
    to_the_end = false;
    impl_->leave_unread(first_slot);
  } catch (...) {
    leave();
    throw;
  }
  leave();
  return to_the_end && errors.problems.size() == before;
}

void ConfigNode::leave() const { throw SectionEnds{}; }
void ConfigNode::leave_unread() const { impl_->leave_unread(); }
const std::vector<Problem>& ConfigNode::problems() const { return impl_->errors->problems; }

namespace {

void report_unknown(std::vector<Problem> found, std::vector<Problem>* collected) {
  if (collected != nullptr)
    collected->insert(collected->end(), found.begin(), found.end());
  else if (!found.empty())
    throw ConfigErrors(std::move(found));
}

}  // namespace

void ConfigNode::finish() const {
  std::vector<Problem> found;
  impl_->find_unknown(nullptr, found);
  report_unknown(std::move(found), impl_->errors->collected ? &impl_->errors->problems : nullptr);
}

void ConfigNode::finish(const SchemaNode& whole) const {
  std::vector<Problem> found;
  impl_->find_unknown(&whole, found);
  report_unknown(std::move(found), impl_->errors->collected ? &impl_->errors->problems : nullptr);
}

Tree ConfigNode::resolved() const { return impl_->resolved(); }
const SchemaNode& ConfigNode::schema() const { return *impl_->schema; }
std::string ConfigNode::path() const { return impl_->path; }

}  // namespace lw
