// A YAML document as a plain tree in which every value and key knows its place in the file.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/error.h"

namespace lw {
struct SchemaNode;

/// Kept in document order. Keys are unique: a duplicate is refused when parsing.
struct Tree {
  enum class Kind { kNull, kScalar, kMap, kList };
  struct Entry;

  Kind kind = Kind::kNull;
  std::string text;     // kScalar
  bool quoted = false;  // kScalar written in quotes: text, never a number
  std::vector<Entry> entries;
  std::vector<Tree> items;
  SourcePos pos;

  static Tree scalar(std::string text, bool quoted = false);
  static Tree map();
  static Tree list();

  bool is_map() const { return kind == Kind::kMap; }
  /// The scalar below `key`, "" where there is none.
  std::string text_of(std::string_view key) const;
  const Tree* find(std::string_view key) const;
  Tree* find(std::string_view key);
  /// Sets or adds `key`, keeping its place in the order.
  void set(std::string_view key, Tree value);
  void erase(std::string_view key);
  /// Same values, whatever the places and the order of keys.
  bool same(const Tree& other) const;
};

struct Tree::Entry {
  std::string key;
  SourcePos key_pos;
  Tree value;
};

/// How deep values may be nested.
inline constexpr size_t kDeepestConfig = 64;

/// @param name what errors call the text: a file's path or "--set model.width".
/// @throws Error(kConfig), with line and column: bad syntax, a duplicate key, bytes that are no text, control
/// characters, an alias inside of what it stands for, and what is larger than any config (see yaml_read.cpp).
Tree parse_yaml(const std::string& text, const std::string& name);
/// Reads a file and follows `extends: other.yaml` (relative to the file), merging this file over it.
/// @throws Error(kInput) unreadable or larger than 1 MiB, Error(kConfig) bad syntax or a circle of extends.
Tree load_yaml(const std::string& path, const SchemaNode& shape);

/// `over` laid on `base`: maps are merged key by key, everything else is replaced. Where `over` chooses another variant
/// than `base` does, by whichever key `shape` says chooses one, the options of the old variant are dropped, as they
/// mean nothing to the new one; options that go with any variant stay.
[[nodiscard]] Tree merge(Tree base, const Tree& over, const SchemaNode& shape);
/// The same where nothing chooses a variant.
[[nodiscard]] Tree merge(Tree base, const Tree& over);

/// Merges VALUE at a dotted path: "position.scaling.factor=4".
/// @throws Error(kUsage) when the text is not PATH=VALUE.
void apply_set(Tree& tree, const std::string& assignment, const SchemaNode& shape);

/// How many keys a dotted path has.
size_t path_depth(std::string_view path);
/// A tree holding `value` at a dotted path, which is at most kDeepestConfig deep.
Tree nested(const std::string& path, Tree value);

/// Block-style YAML that parse_yaml() reads back to the same tree.
std::string to_yaml(const Tree& tree);

}  // namespace lw
