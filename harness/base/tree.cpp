#include "harness/base/tree.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "harness/base/files.h"
#include "harness/base/problem.h"
#include "harness/base/schema.h"
#include "harness/base/text.h"

namespace lw {
namespace {

constexpr uintmax_t kLargestFile = uintmax_t{1} << 20;
constexpr size_t kLongestChain = 32;

/// The same for every way to write the path; as it is written where the system cannot tell.
std::string whole_path(const std::filesystem::path& path) {
  std::error_code error;
  const auto whole = std::filesystem::weakly_canonical(path, error);
  return error ? path.string() : whole.string();
}

/// @param text of the file `path`. @param chain the files that led to it, itself among them.
Tree load_chain(const std::string& path, const std::string& text, const SchemaNode& shape,
                std::vector<std::string>& chain) {
  Tree tree = parse_yaml(text, path);
  const Tree* extends = tree.find("extends");
  if (extends == nullptr) return tree;
  const auto fail = [&](const std::string& what) { throw ConfigErrors({{extends->pos, "extends", what}}); };
  if (extends->kind != Tree::Kind::kScalar) fail(found_what("no file name").allowed("a path relative to this file"));
  const auto base_path = (std::filesystem::path(path).parent_path() / extends->text).string();
  chain.push_back(whole_path(base_path));
  if (std::find(chain.begin(), chain.end() - 1, chain.back()) != chain.end() - 1)
    fail(found(extends->text, ", which closes a circle").allowed("a chain of files that ends"));
  if (chain.size() > kLongestChain)
    fail(found_what("more than ", kLongestChain, " files that extend each other").allowed("up to ", kLongestChain));
  std::error_code unknown;
  if (!std::filesystem::exists(base_path, unknown))
    fail(found(extends->text, ", which does not exist").allowed("the path of a config, relative to this file"));
  std::string base_text;
  try {
    base_text = read_file(base_path, kLargestFile);
  } catch (const FileError& e) {
    fail(found(extends->text, ", which ", e.reason()).allowed("the path of a config, relative to this file"));
  }
  Tree base = load_chain(base_path, base_text, shape, chain);
  tree.erase("extends");
  return merge(std::move(base), tree, shape);
}

void erase_all(Tree& map, const std::set<std::string>& names, const std::set<std::string>& but) {
  for (const auto& name : names)
    if (but.count(name) == 0) map.erase(name);
}

/// Takes out of `base` what belongs to variants that `over` leaves. @param common names that stay in any case.
void drop_other_variants(Tree& base, const Tree& over, const SchemaNode& shape, std::set<std::string> common) {
  for (const auto& key : shape.keys) common.insert(key.name);
  for (const auto& variant : shape.variants) {
    const auto before = variant.chosen_in(base), then = variant.said_in(over);
    if (!then || before == then) {
      if (const SchemaNode* same = before ? variant.find(*before) : nullptr)
        drop_other_variants(base, over, *same, common);
      continue;
    }
    std::set<std::string> kept = common;
    if (!before)  // not known: what the new one may have can be meant for it
      if (const SchemaNode* now = variant.find(*then)) kept.merge(now->every_name());
    for (const auto& branch : variant.branches)
      if (!before || branch.choice == *before) erase_all(base, branch.node.every_name(), kept);
    for (const auto& name : variant.old_names) base.erase(name);
    base.erase(variant.key);
  }
}

Tree merge_at(Tree base, const Tree& over, const SchemaNode* shape) {
  if (!base.is_map() || !over.is_map()) return over;
  Tree both = base;  // what chooses the variant of a key below
  if (shape != nullptr) {
    drop_other_variants(base, over, *shape, {});
    both = base;
    for (const auto& entry : over.entries)
      if (entry.value.kind == Tree::Kind::kScalar) both.set(entry.key, entry.value);
  }
  for (const auto& entry : over.entries) {
    if (Tree* below = base.find(entry.key)) {
      *below =
          merge_at(std::move(*below), entry.value, shape == nullptr ? nullptr : node_below(*shape, both, entry.key));
    } else {
      base.entries.push_back(entry);
    }
  }
  return base;
}

bool reads_as_null(const std::string& text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

bool reads_as_something_else(const std::string& text) {
  if (reads_as_null(text) || text == "true" || text == "false") return true;
  return text.find_first_not_of("0123456789+-.eE_") == std::string::npos;
}

void emit(YAML::Emitter& out, const Tree& tree) {
  switch (tree.kind) {
    case Tree::Kind::kNull:
      out << YAML::Null;
      break;
    case Tree::Kind::kScalar:
      if (tree.quoted && reads_as_something_else(tree.text)) out << YAML::DoubleQuoted;
      out << tree.text;
      break;
    case Tree::Kind::kMap:
      out << YAML::BeginMap;
      for (const auto& entry : tree.entries) {
        out << YAML::Key;
        if (reads_as_null(entry.key) || entry.key == "<<") out << YAML::DoubleQuoted;
        out << entry.key << YAML::Value;
        emit(out, entry.value);
      }
      out << YAML::EndMap;
      break;
    case Tree::Kind::kList: {
      const bool flat = std::all_of(tree.items.begin(), tree.items.end(),
                                    [](const Tree& t) { return t.kind == Tree::Kind::kScalar; });
      if (flat) out << YAML::Flow;
      out << YAML::BeginSeq;
      for (const auto& item : tree.items) emit(out, item);
      out << YAML::EndSeq;
      break;
    }
  }
}

}  // namespace

Tree Tree::scalar(std::string text, bool quoted) {
  Tree t;
  t.kind = Kind::kScalar;
  t.text = std::move(text);
  t.quoted = quoted;
  return t;
}

Tree Tree::map() {
  Tree t;
  t.kind = Kind::kMap;
  return t;
}

Tree Tree::list() {
  Tree t;
  t.kind = Kind::kList;
  return t;
}

const Tree* Tree::find(std::string_view key) const {
  for (const auto& entry : entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

Tree* Tree::find(std::string_view key) {
  for (auto& entry : entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

std::string Tree::text_of(std::string_view key) const {
  const Tree* value = find(key);
  return value == nullptr ? "" : value->text;
}

void Tree::set(std::string_view key, Tree value) {
  kind = Kind::kMap;
  if (Tree* found = find(key)) {
    *found = std::move(value);
  } else {
    entries.push_back({std::string(key), value.pos, std::move(value)});
  }
}

void Tree::erase(std::string_view key) {
  entries.erase(std::remove_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.key == key; }),
                entries.end());
}

bool Tree::same(const Tree& other) const {
  if (kind != other.kind || text != other.text || entries.size() != other.entries.size() ||
      items.size() != other.items.size())
    return false;
  for (const auto& entry : entries) {
    const Tree* match = other.find(entry.key);
    if (match == nullptr || !entry.value.same(*match)) return false;
  }
  for (size_t i = 0; i < items.size(); ++i)
    if (!items[i].same(other.items[i])) return false;
  return true;
}

Tree load_yaml(const std::string& path, const SchemaNode& shape) {
  std::vector<std::string> chain = {whole_path(path)};
  return load_chain(path, read_file(path, kLargestFile), shape, chain);
}

Tree merge(Tree base, const Tree& over, const SchemaNode& shape) { return merge_at(std::move(base), over, &shape); }
Tree merge(Tree base, const Tree& over) { return merge_at(std::move(base), over, nullptr); }

size_t path_depth(std::string_view path) { return static_cast<size_t>(std::count(path.begin(), path.end(), '.')) + 1; }

Tree nested(const std::string& path, Tree value) {
  const size_t dot = path.rfind('.');
  Tree map = Tree::map();
  map.pos = value.pos;
  if (dot == std::string::npos) {
    map.set(path, std::move(value));
    return map;
  }
  map.set(path.substr(dot + 1), std::move(value));
  return nested(path.substr(0, dot), std::move(map));
}

void apply_set(Tree& tree, const std::string& assignment, const SchemaNode& shape) {
  const size_t equals = assignment.find('=');
  const std::string path = assignment.substr(0, equals);
  if (equals == std::string::npos || path.empty() || path.front() == '.' || path.back() == '.' ||
      path.find("..") != std::string::npos)
    throw Error(ErrorKind::kUsage,
                "--set: " + found(assignment).allowed("PATH=VALUE, as in position.scaling.factor=4"));
  if (path_depth(path) > kDeepestConfig)
    throw Error(ErrorKind::kUsage,
                "--set: " + found_what("a path of ", path_depth(path), " keys").allowed("up to ", kDeepestConfig));
  Tree value = parse_yaml(assignment.substr(equals + 1), "--set " + path);
  tree = merge(std::move(tree), nested(path, std::move(value)), shape);
}

std::string to_yaml(const Tree& tree) {
  YAML::Emitter out;
  emit(out, tree);
  return std::string(out.c_str()) + "\n";
}

}  // namespace lw
