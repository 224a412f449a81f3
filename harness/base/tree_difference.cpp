#include "harness/base/tree_difference.h"

#include <algorithm>

#include "harness/base/printable.h"

namespace lw {
namespace {

constexpr size_t kLongest = 60;  // characters of a value

/// A value in YAML's flow style.
std::string on_one_line(const Tree& tree) {
  std::string out;
  switch (tree.kind) {
    case Tree::Kind::kNull:
      return "null";
    case Tree::Kind::kScalar:
      return tree.text.empty() ? "''" : tree.text;
    case Tree::Kind::kMap:
      for (const auto& e : tree.entries) out += (out.empty() ? "" : ", ") + e.key + ": " + on_one_line(e.value);
      return "{" + out + "}";
    case Tree::Kind::kList:
      for (const auto& item : tree.items) out += (out.empty() ? "" : ", ") + on_one_line(item);
      return "[" + out + "]";
  }
  return out;
}

std::string shown_value(const Tree* tree) {
  return tree == nullptr ? "nothing" : printable(on_one_line(*tree), kLongest);
}

bool is_named_list(const Tree& tree) {
  return tree.kind == Tree::Kind::kList && !tree.items.empty() &&
         std::all_of(tree.items.begin(), tree.items.end(),
                     [](const Tree& item) { return item.is_map() && item.find("name") != nullptr; });
}

/// A list of named maps as a map; its order is compared apart.
Tree by_name(const Tree& list) {
  Tree out = Tree::map();
  for (const auto& item : list.items) {
    Tree rest = item;
    rest.erase("name");
    out.set(item.text_of("name"), std::move(rest));
  }
  return out;
}

std::vector<std::string> names_in_order(const Tree& list) {
  std::vector<std::string> out;
  for (const auto& item : list.items) out.push_back(item.text_of("name"));
  return out;
}

void compare(const std::string& key, const Tree* a, const Tree* b, std::vector<TreeDifference>& out) {
  if (a != nullptr && b != nullptr && a->same(*b)) return;
  const bool both = a != nullptr && b != nullptr;
  if (both && a->is_map() && b->is_map()) {
    const std::string before = key.empty() ? "" : key + ".";
    for (const auto& e : a->entries) compare(before + e.key, &e.value, b->find(e.key), out);
    for (const auto& e : b->entries)
      if (a->find(e.key) == nullptr) compare(before + e.key, nullptr, &e.value, out);
    return;
  }
  if (both && is_named_list(*a) && is_named_list(*b)) {
    const size_t earlier = out.size();
    const Tree in_a = by_name(*a), in_b = by_name(*b);
    compare(key, &in_a, &in_b, out);
    if (out.size() == earlier)
      out.push_back({key, "in the order " + join(names_in_order(*a)), "in the order " + join(names_in_order(*b))});
    return;
  }
  out.push_back({key, shown_value(a), shown_value(b)});
}

}  // namespace

std::vector<TreeDifference> tree_differences(const Tree& first, const Tree& second) {
  std::vector<TreeDifference> out;
  compare("", &first, &second, out);
  return out;
}

}  // namespace lw
