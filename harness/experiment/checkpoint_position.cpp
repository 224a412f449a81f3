#include "harness/experiment/checkpoint_position.h"

#include <algorithm>
#include <map>

#include "encodings/rope_scaling/scaling_block.h"
#include "harness/base/config.h"
#include "harness/base/problem.h"
#include "harness/base/text.h"
#include "harness/experiment/experiment.h"

namespace lw {
namespace {

const SchemaNode& position_shape() {
  const SchemaNode* shape = config_shape().find("position");
  LW_CHECK(shape != nullptr, "a config has a position");
  return *shape;
}

[[noreturn]] void fail(const Tree& at, const std::string& what) {
  throw ConfigErrors({{at.pos, std::string("position.") + kScalingOverKey, what}});
}

/// `replace`, `compose`, or "" where it is not said.
std::string replace_or_compose(const Tree& given) {
  const Tree* said = given.find(kScalingOverKey);
  if (said == nullptr) return "";
  const std::vector<std::string> allowed = {"replace", "compose"};
  if (std::find(allowed.begin(), allowed.end(), said->text) == allowed.end())
    fail(*said, found(said->text).allowed(join(allowed)) + did_you_mean(said->text, allowed));
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
  if (!scaling_changes_frequencies(own) || then.same(first)) return merge(merge(std::move(first), then), base);
  if (how.empty())
    fail(given, "found nothing, and a scaling beside the checkpoint's own (rope_type " + own.text_of("rope_type") +
                    "); allowed: replace, which puts this one in its place, or compose, which puts this one on it");
  if (how == "replace") return merge(std::move(then), base);
  Tree out = merge(base, composed_scaling_block(first, then));
  out.pos = given.pos;
  return out;
}

Tree scaling_over(const Tree& own, const Tree& given, const std::string& how) {
  if (!given.is_map()) return given;
  if (!has_block_per_layer_type(own)) return block_over(own, given, how);
  if (!has_block_per_layer_type(given)) {
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
  const std::string how = replace_or_compose(given);
  Tree changes = given;
  changes.erase(kScalingOverKey);
  const bool same_scheme = changes.find("scheme") == nullptr || changes.text_of("scheme") == own.text_of("scheme");
  const Tree *first = own.find("scaling"), *then = changes.find("scaling");
  if (!same_scheme || first == nullptr || !first->is_map() || then == nullptr)
    return same_scheme ? merge(own, changes, position_shape()) : changes;
  const Tree scaling = scaling_over(*first, *then, how);
  changes.erase("scaling");
  Tree out = merge(own, changes, position_shape());
  out.set("scaling", scaling);
  return out;
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
