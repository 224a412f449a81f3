#include "harness/base/config_state.h"

#include "harness/base/text.h"

namespace lw {

std::string ConfigNode::Impl::key_path(std::string_view key) const {
  if (key.empty()) return path;
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

const Tree* ConfigNode::Impl::find(std::string_view key) const {
  const Tree* value = tree.find(key);
  return value != nullptr && value->kind == Tree::Kind::kNull ? nullptr : value;
}

SourcePos ConfigNode::Impl::place_of(const Tree::Entry& entry) {
  const bool nothing = entry.value.kind == Tree::Kind::kNull || entry.value.pos.line == 0;
  return nothing ? entry.key_pos : entry.value.pos;
}

SourcePos ConfigNode::Impl::place(std::string_view key) const {
  for (const auto& entry : tree.entries)
    if (entry.key == key) return place_of(entry);
  return tree.pos;
}

std::string ConfigNode::Impl::shown(const Tree& value) {
  switch (value.kind) {
    case Tree::Kind::kNull:
      return "nothing";
    case Tree::Kind::kMap:
      return "a mapping";
    case Tree::Kind::kList:
      return "a list";
    default:
      return value.quoted ? "the text \"" + printable(value.text, 200) + "\"" : in_quotes(value.text);
  }
}

void ConfigNode::Impl::report(Problem problem) const {
  if (!errors->collected) throw ConfigErrors({std::move(problem)});
  errors->problems.push_back(std::move(problem));
}

void ConfigNode::Impl::refuse_at(const SourcePos& at, std::string_view key, const std::string& what) {
  refused = true;
  report({at, key_path(key), what});
}

void ConfigNode::Impl::refuse_absent(std::string_view key, const std::string& allowed) {
  refused = true;
  if (!not_a_map) report({place(key), key_path(key), "found nothing; allowed: " + allowed, Problem::Kind::kMissing});
}

void ConfigNode::Impl::fail(std::string_view key, const std::string& what) const {
  const bool absent = what.starts_with("found nothing;");
  report({place(key), key_path(key), what, absent ? Problem::Kind::kMissing : Problem::Kind::kValue});
  throw SectionEnds{};
}

SchemaNode& ConfigNode::Impl::note(std::string_view key, SchemaNode::Type type, const std::string& doc) {
  const std::string name(key);
  known.insert(name);
  if (reading) reading->insert(name);
  if (origin) origin->known.insert(name);
  SchemaNode& node = schema->add(name);
  node.type = type;
  if (!doc.empty()) node.doc = doc;
  return node;
}

void ConfigNode::Impl::keep(std::string_view key, Tree value) {
  value.pos = {};
  if (origin && own.count(std::string(key)) == 0) origin->keep(key, value);
  for (auto& slot : slots) {
    if (slot.key == key) {
      slot.value = std::move(value);
      return;
    }
  }
  slots.push_back({std::string(key), std::move(value), {}, {}});
}

std::shared_ptr<ConfigNode::Impl> ConfigNode::Impl::child(const Tree* value, const SourcePos& where,
                                                          const std::string& child_path, SchemaNode& node) {
  auto impl = std::make_shared<Impl>();
  impl->path = child_path;
  impl->describing = describing;
  impl->root = root;
  impl->schema = &node;
  impl->errors = errors;
  impl->remarks = remarks;
  impl->label = label;
  impl->tree = Tree::map();
  impl->tree.pos = where;
  if (value != nullptr && value->is_map()) {
    impl->tree = *value;
  } else if (value != nullptr) {
    impl->tree.pos = value->pos;
    impl->not_a_map = true;
    impl->refuse_at(value->pos, "", "found " + shown(*value) + "; allowed: a mapping of keys");
  }
  return impl;
}

void ConfigNode::Impl::leave_unread(size_t first) {
  any_key = true;
  for (size_t i = first; i < slots.size(); ++i)
    for (auto& below : slots[i].children) below->leave_unread();
}

namespace {

std::set<std::string> names_in_force(const SchemaNode& shape, const Tree& map) {
  std::set<std::string> out;
  for (const SchemaNode* node : shape.in_force(map)) {
    for (const auto& key : node->keys) out.insert(key.name);
    for (const auto& variant : node->variants) {  // not known which: any of its options may be meant
      const auto chosen = variant.chosen_in(map);
      if (chosen && variant.find(*chosen) != nullptr) continue;
      for (const auto& branch : variant.branches) out.merge(branch.node.every_name());
    }
  }
  return out;
}

/// The node of a key, in any branch where the chosen ones do not have it.
const SchemaNode* node_anywhere(const SchemaNode* shape, const Tree& map, const std::string& key) {
  if (shape == nullptr) return nullptr;
  if (const SchemaNode* found = node_below(*shape, map, key)) return found;
  for (const auto* any : shape->every_key())
    if (any->name == key) return &any->node;
  return nullptr;
}

/// "; it goes with rope_type linear, dynamic", for a key that other choices than the one that was made have.
std::string choices_with(const SchemaNode* whole, const std::string& key) {
  if (whole == nullptr) return "";
  for (const auto& variant : whole->variants) {
    std::vector<std::string> choices;
    for (const auto& branch : variant.branches)
      if (branch.node.find(key) != nullptr) choices.push_back(branch.choice);
    if (!choices.empty()) return "; it goes with " + variant.key + " " + join(choices);
  }
  return "";
}

/// @param whole the schema of the mapping, or null.
Problem unknown_key(const Tree::Entry& entry, const std::string& path, const std::set<std::string>& allowed,
                    const SchemaNode* whole) {
  const std::string elsewhere = choices_with(whole, entry.key);
  const std::vector<std::string> names(allowed.begin(), allowed.end());
  const std::string dot = path.empty() ? "" : path + ".", near = nearest(entry.key, names);
  return {entry.key_pos, dot + entry.key,
          "found an unknown key; allowed: " + (names.empty() ? "no keys here" : join(names)) +
              (elsewhere.empty() ? did_you_mean(entry.key, names) : elsewhere),
          Problem::Kind::kUnknownKey, near.empty() ? "" : dot + near};
}

/// Unknown keys of a mapping that no cursor came to.
void find_unknown_in(const Tree& map, const std::string& path, const SchemaNode& shape, std::vector<Problem>& out) {
  if (!map.is_map()) return;
  const bool named = shape.type == SchemaNode::Type::kNamedMaps;
  if (!named && shape.type != SchemaNode::Type::kMap) return;
  const auto allowed = names_in_force(shape, map);
  for (const auto& entry : map.entries) {
    if (!named && allowed.count(entry.key) == 0) {
      out.push_back(unknown_key(entry, path, allowed, &shape));
      continue;
    }
    const SchemaNode* below = named ? shape.find("*") : node_anywhere(&shape, map, entry.key);
    if (below != nullptr) find_unknown_in(entry.value, path.empty() ? entry.key : path + "." + entry.key, *below, out);
  }
}

}  // namespace

void ConfigNode::Impl::find_unknown(const SchemaNode* whole, std::vector<Problem>& out) const {
  std::set<std::string> allowed = known;
  if (any_key && whole != nullptr) allowed.merge(names_in_force(*whole, tree));
  for (const auto& entry : tree.entries) {
    const bool ignored = (!ignored_prefix.empty() && entry.key.rfind(ignored_prefix, 0) == 0) ||
                         (ignores_nulls && entry.value.kind == Tree::Kind::kNull);
    if (ignored || known.count(entry.key) != 0) continue;
    if (allowed.count(entry.key) == 0) {
      if (!any_key || whole != nullptr) out.push_back(unknown_key(entry, path, allowed, whole));
    } else if (const SchemaNode* below = node_anywhere(whole, tree, entry.key)) {
      find_unknown_in(entry.value, key_path(entry.key), *below, out);
    }
  }
  for (const auto& slot : slots) {
    const SchemaNode* node = node_anywhere(whole, tree, slot.key);
    if (node != nullptr && !slot.names.empty()) node = node->find("*");
    for (const auto& below : slot.children) below->find_unknown(node, out);
  }
}

Tree ConfigNode::Impl::resolved() const {
  Tree out = Tree::map();
  for (const auto& slot : slots) {
    if (slot.value) {
      out.set(slot.key, *slot.value);
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

}  // namespace lw
