#include "harness/experiment/checkpoint_position.h"

#include <algorithm>
#include <map>

#include "encodings/position_sampler.h"
#include "encodings/registry.h"
#include "harness/base/config.h"
#include "harness/base/error.h"
#include "harness/experiment/experiment.h"

namespace lw {
namespace {

const SchemaNode& position_shape() {
  const SchemaNode* shape = config_shape().find("position");
  LW_CHECK(shape != nullptr, "a config has a position");
  return *shape;
}

std::string text_of(const Tree& map, std::string_view key) {
  const Tree* value = map.find(key);
  return value == nullptr ? "" : value->text;
}

/// Blocks for types of layers, as Gemma 3 has.
bool is_nested(const Tree& scaling) {
  return scaling.is_map() && scaling.find("rope_type") == nullptr &&
         std::any_of(scaling.entries.begin(), scaling.entries.end(),
                     [](const Tree::Entry& entry) { return entry.value.is_map(); });
}

/// Whether the frequencies of one block are other than its base alone gives.
bool scales(const Tree& block) {
  const std::string type = text_of(block, "rope_type");
  return !type.empty() && type != "default";
}

[[noreturn]] void fail(const Tree& at, const std::string& what) {
  throw ConfigErrors({{at.pos, std::string("position.") + kScalingOverKey, what}});
}

/// `replace`, `compose`, or "" where it is not said.
std::string how_said(const Tree& given) {
  const Tree* said = given.find(kScalingOverKey);
  if (said == nullptr) return "";
  const std::vector<std::string> allowed = {"replace", "compose"};
  if (std::find(allowed.begin(), allowed.end(), said->text) == allowed.end())
    fail(*said, "found '" + said->text + "'; allowed: " + join(allowed) + did_you_mean(said->text, allowed));
  return said->text;
}

/// One block laid on another. A block may hold the base of its frequencies: it stays what it is in either way.
Tree block_over(const Tree& own, const Tree& given, const std::string& how) {
  Tree first = own, then = given, base = Tree::map();
  for (const char* key : {"rope_theta", "partial_rotary_factor"}) {
    if (const Tree* value = given.find(key) != nullptr ? given.find(key) : own.find(key)) base.set(key, *value);
    first.erase(key);
    then.erase(key);
  }
  if (!scales(own) || then.same(first)) return merge(merge(std::move(first), then), base);
  if (how.empty())
    fail(given, "found nothing, and a scaling beside the checkpoint's own (rope_type " + text_of(own, "rope_type") +
                    "); allowed: replace, which puts this one in its place, or compose, which puts this one on it");
  if (how == "replace") return merge(std::move(then), base);
  Tree out = base;
  out.set("rope_type", Tree::scalar("composed", true));
  out.set("first", std::move(first));
  out.set("then", std::move(then));
  out.pos = given.pos;
  return out;
}

Tree scaling_over(const Tree& own, const Tree& given, const std::string& how) {
  if (!given.is_map()) return given;
  if (!is_nested(own)) return block_over(own, given, how);
  if (!is_nested(given)) {
    std::vector<std::string> types;
    for (const auto& entry : own.entries) types.push_back(entry.key);
    throw ConfigErrors({{given.pos, "position.scaling",
                         "found one block for all layers; allowed: one under each type of layers that is to change, as "
                         "the checkpoint has (" +
                             join(types) + ")"}});
  }
  Tree out = own;
  for (const auto& [type, place, block] : given.entries)
    out.set(type, own.find(type) != nullptr && block.is_map() ? block_over(*own.find(type), block, how) : block);
  return out;
}

void flatten(const Tree& tree, const std::string& prefix, std::map<std::string, std::string>& out) {
  if (tree.kind == Tree::Kind::kMap) {
    for (const auto& entry : tree.entries)
      flatten(entry.value, prefix.empty() ? entry.key : prefix + "." + entry.key, out);
    return;
  }
  std::string text = tree.text;
  for (const auto& item : tree.items) text += (text.empty() ? "" : ", ") + item.text;
  if (!prefix.empty()) out[prefix] = text;
}

}  // namespace

Tree position_over(const Tree& own, const Tree& given) {
  if (given.kind == Tree::Kind::kNull) return own;
  if (!given.is_map()) return given;  // the reader says what is wrong with it
  const std::string how = how_said(given);
  Tree changes = given;
  changes.erase(kScalingOverKey);
  const bool same_scheme = changes.find("scheme") == nullptr || text_of(changes, "scheme") == text_of(own, "scheme");
  const Tree *first = own.find("scaling"), *then = changes.find("scaling");
  if (!same_scheme || first == nullptr || !first->is_map() || then == nullptr)
    return same_scheme ? merge(own, changes, position_shape()) : changes;
  const Tree scaling = scaling_over(*first, *then, how);
  changes.erase("scaling");
  Tree out = merge(own, changes, position_shape());
  out.set("scaling", scaling);
  return out;
}

Tree resolve_position(const Tree& position, const ModelShape& shape) {
  ConfigNode node(position);
  make_encoding(node, shape);
  PositionSampler::read(node);
  node.finish();
  return node.resolved();
}

std::vector<PositionChange> position_changes(const Tree& own, const Tree& used) {
  std::map<std::string, std::string> before, after;
  flatten(own, "", before);
  flatten(used, "", after);
  std::vector<PositionChange> out;
  for (const auto& [key, value] : before) {
    const auto found = after.find(key);
    if (found == after.end())
      out.push_back({key, value, ""});
    else if (found->second != value)
      out.push_back({key, value, found->second});
  }
  for (const auto& [key, value] : after)
    if (before.count(key) == 0) out.push_back({key, "", value});
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  return out;
}

}  // namespace lw
