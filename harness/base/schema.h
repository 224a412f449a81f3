// What a config mapping may hold, as noted while it was read, and its JSON Schema.
#pragma once
#include <limits>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lw {

/// Bounds, both included unless said otherwise.
template <class T>
struct Range {
  T min = std::numeric_limits<T>::lowest();
  T max = std::numeric_limits<T>::max();
  bool above_min = false;  // min itself is not allowed

  bool contains(T value) const { return (above_min ? value > min : value >= min) && value <= max; }
};

struct Tree;

/// What one key may hold. A mapping has keys of its own, and for each key that chooses a variant (`scheme`, a suite's
/// `kind`) a branch per choice with the keys that this choice alone has; a branch may have variants in turn.
struct SchemaNode {
  enum class Type { kText, kWhole, kNumber, kFlag, kChoice, kWholes, kNumbers, kWords, kMap, kNamedMaps, kSweep };
  struct Key;
  struct Branch;
  struct Variant;

  Type type = Type::kMap;
  std::string doc;
  bool required = false;
  std::optional<double> min, max;
  bool above_min = false;
  std::vector<std::string> choices;
  std::vector<std::string> choice_docs;
  std::optional<std::string> fallback;  // as it would stand in YAML
  std::list<Key> keys;                  // of maps, in order of reading; kNamedMaps: one, "*", for each of them
  std::list<Variant> variants;          // of maps
  std::string chosen_by_name;           // kNamedMaps: the chooser that may be left out where the name is a choice of it
  std::string ignored_prefix;           // of maps: keys that begin with it are the user's own; "" for none

  SchemaNode* find(std::string_view name);
  const SchemaNode* find(std::string_view name) const;
  SchemaNode& add(const std::string& name);
  Variant& add_variant(const std::string& key);

  /// The branch of `choice`, whichever key chooses it; null when there is none.
  const SchemaNode* branch(std::string_view choice) const;
  /// This node and the branches that the values in `map` choose, those that follow from defaults included.
  std::vector<const SchemaNode*> in_force(const Tree& map) const;
  /// Each key of this node and of every branch below it; of a name that is in several, the first.
  std::vector<const Key*> every_key() const;
  std::set<std::string> every_name() const;
};

struct SchemaNode::Key {
  std::string name;
  SchemaNode node;
};

struct SchemaNode::Branch {
  std::string choice;
  SchemaNode node;
};

/// A key that chooses what else may stand beside it.
struct SchemaNode::Variant {
  std::string key;
  std::vector<std::string> old_names;   // other keys that choose the same
  std::optional<std::string> fallback;  // the choice of an absent key
  std::list<Branch> branches;

  SchemaNode& add(const std::string& choice);
  const SchemaNode* find(std::string_view choice) const;
  /// What `map` chooses, the fallback included; nullopt when it does not say.
  std::optional<std::string> chosen_in(const Tree& map) const;
  /// The same without the fallback.
  std::optional<std::string> said_in(const Tree& map) const;
};

/// What `key` of `map` may hold, by the mapping's own keys or those of a branch that it chooses; null for an unknown
/// key.
const SchemaNode* node_below(const SchemaNode& shape, const Tree& map, std::string_view key);

/// JSON Schema (draft 2020-12) of a config file, as text. Entries of a kSweep key may hold any part of
/// the whole config.
std::string json_schema(const SchemaNode& root, const std::string& title);

}  // namespace lw
