#include "harness/base/schema.h"

#include <algorithm>

#include "harness/base/tree.h"

namespace lw {
namespace {

void collect(const SchemaNode& node, std::vector<const SchemaNode::Key*>& out) {
  for (const auto& key : node.keys)
    if (std::none_of(out.begin(), out.end(), [&](const auto* seen) { return seen->name == key.name; }))
      out.push_back(&key);
  for (const auto& variant : node.variants)
    for (const auto& branch : variant.branches) collect(branch.node, out);
}

void collect_in_force(const SchemaNode& node, const Tree& map, std::vector<const SchemaNode*>& out) {
  out.push_back(&node);
  for (const auto& variant : node.variants)
    if (const auto chosen = variant.chosen_in(map))
      if (const SchemaNode* branch = variant.find(*chosen)) collect_in_force(*branch, map, out);
}

}  // namespace

const SchemaNode* SchemaNode::find(std::string_view name) const {
  for (const auto& key : keys)
    if (key.name == name) return &key.node;
  return nullptr;
}

SchemaNode* SchemaNode::find(std::string_view name) {
  for (auto& key : keys)
    if (key.name == name) return &key.node;
  return nullptr;
}

SchemaNode& SchemaNode::add(const std::string& name) {
  if (SchemaNode* found = find(name)) return *found;
  keys.push_back({name, {}});
  return keys.back().node;
}

SchemaNode::Variant& SchemaNode::add_variant(const std::string& key) {
  for (auto& variant : variants)
    if (variant.key == key) return variant;
  variants.push_back({key, {}, std::nullopt, {}});
  return variants.back();
}

const SchemaNode* SchemaNode::branch(std::string_view choice) const {
  for (const auto& variant : variants)
    if (const SchemaNode* found = variant.find(choice)) return found;
  return nullptr;
}

std::vector<const SchemaNode*> SchemaNode::in_force(const Tree& map) const {
  std::vector<const SchemaNode*> out;
  collect_in_force(*this, map, out);
  return out;
}

std::vector<const SchemaNode::Key*> SchemaNode::every_key() const {
  std::vector<const Key*> out;
  collect(*this, out);
  return out;
}

std::set<std::string> SchemaNode::every_name() const {
  std::set<std::string> out;
  for (const auto* key : every_key()) out.insert(key->name);
  return out;
}

SchemaNode& SchemaNode::Variant::add(const std::string& choice) {
  for (auto& branch : branches)
    if (branch.choice == choice) return branch.node;
  branches.push_back({choice, {}});
  return branches.back().node;
}

const SchemaNode* SchemaNode::Variant::find(std::string_view choice) const {
  for (const auto& branch : branches)
    if (branch.choice == choice) return &branch.node;
  return nullptr;
}

std::optional<std::string> SchemaNode::Variant::said_in(const Tree& map) const {
  std::vector<std::string> names = {key};
  names.insert(names.end(), old_names.begin(), old_names.end());
  for (const auto& name : names)
    if (const Tree* value = map.find(name); value != nullptr && value->kind == Tree::Kind::kScalar) return value->text;
  return std::nullopt;
}

std::optional<std::string> SchemaNode::Variant::chosen_in(const Tree& map) const {
  const auto said = said_in(map);
  return said ? said : fallback;
}

const SchemaNode* node_below(const SchemaNode& shape, const Tree& map, std::string_view key) {
  if (shape.type == SchemaNode::Type::kNamedMaps) return shape.find("*");
  for (const SchemaNode* node : shape.in_force(map))
    if (const SchemaNode* found = node->find(key)) return found;
  return nullptr;
}

}  // namespace lw
