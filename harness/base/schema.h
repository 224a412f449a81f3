// What a config mapping may hold, as noted while it was read, and its JSON Schema.
#pragma once
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
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

struct SchemaNode {
  enum class Type {
    kText,
    kWhole,
    kNumber,
    kFlag,
    kChoice,
    kWholes,
    kNumbers,
    kWords,
    kMap,
    kMaps,
    kNamedMaps,
    kSweep
  };
  struct Key;

  Type type = Type::kMap;
  std::string doc;
  bool required = false;
  std::optional<double> min, max;
  bool above_min = false;
  std::vector<std::string> choices;
  std::vector<std::string> choice_docs;
  std::optional<std::string> fallback;                     // as it would stand in YAML
  std::list<Key> keys;                                     // maps: in order of reading; kNamedMaps: those of each
  std::string variant_key;                                 // kMap: the key that chooses among `only_with`
  std::map<std::string, std::set<std::string>> only_with;  // choice -> keys that it allows besides the common ones

  SchemaNode* find(const std::string& name);
  SchemaNode& add(const std::string& name);
};

struct SchemaNode::Key {
  std::string name;
  SchemaNode node;
};

/// JSON Schema (draft 2020-12) of a config file, as text. Entries of a kSweep key may hold any part of
/// the whole config.
std::string json_schema(const SchemaNode& root, const std::string& title);

}  // namespace lw
