// The state behind a config cursor, shared by the files that implement it.
#pragma once
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/base/config.h"

namespace lw {

struct ConfigNode::Impl {
  struct Slot {  // one key that was read
    std::string key;
    std::optional<Tree> value;                    // scalars and lists of scalars
    std::vector<std::shared_ptr<Impl>> children;  // maps
    bool is_list = false;
    std::vector<std::string> names = {};  // of the children, when the user chose them
  };

  /// What readers said of the whole document besides its values.
  struct Remarks {
    struct Mark {  // a key that has another value while a model is trained
      std::string path;
      Tree value;         // null: absent
      std::string added;  // in words
    };
    std::vector<Mark> marks;
    std::vector<std::string> warnings;

    const Mark* find(const std::string& key_path) const;
  };

  Tree tree;
  std::string path;
  std::shared_ptr<Remarks> remarks = std::make_shared<Remarks>();
  std::string label;                                  // the names that users chose on the way here: "global "
  std::optional<std::set<std::string>> reading = {};  // inside after_training(): the keys that are read
  bool describing = false;
  std::shared_ptr<SchemaNode> root;  // owns every schema node below
  SchemaNode* schema = nullptr;
  std::string variant;  // the choice whose options are being read, "" outside
  std::vector<Slot> slots;
  std::set<std::string> known;
  // Of a cursor made by with():
  std::shared_ptr<Impl> origin;  // what is read here is read there, but for the keys of `own`
  std::set<std::string> own;
  std::string lent_key;
  std::shared_ptr<Impl> lent;  // stands under lent_key

  std::string key_path(std::string_view key) const {
    if (key.empty()) return path;
    return path.empty() ? std::string(key) : path + "." + std::string(key);
  }

  const Tree* find(std::string_view key) const {
    const Tree* value = tree.find(key);
    return value != nullptr && value->kind == Tree::Kind::kNull ? nullptr : value;  // `key:` alone is absent
  }

  static SourcePos place_of(const Tree::Entry& entry) {
    const bool nothing = entry.value.kind == Tree::Kind::kNull || entry.value.pos.line == 0;
    return nothing ? entry.key_pos : entry.value.pos;
  }

  SourcePos place(std::string_view key) const {
    for (const auto& entry : tree.entries)
      if (entry.key == key) return place_of(entry);
    return tree.pos;
  }

  [[noreturn]] void fail(std::string_view key, const std::string& what) const {
    fail_at(place(key), key_path(key), what);
  }

  [[noreturn]] static void fail_at(const SourcePos& at, const std::string& name, const std::string& what) {
    std::string text = at.str();
    for (const std::string& part : {name, what}) {
      if (part.empty()) continue;
      text += text.empty() ? part : ": " + part;
    }
    throw Error(ErrorKind::kConfig, text);
  }

  SchemaNode& note(std::string_view key, SchemaNode::Type type, const std::string& doc) {
    const std::string name(key);
    known.insert(name);
    if (reading) reading->insert(name);
    if (origin) origin->known.insert(name);
    SchemaNode& node = schema->add(name);
    node.type = type;
    node.doc = doc;
    if (!variant.empty()) schema->only_with[variant].insert(name);
    return node;
  }

  void keep(std::string_view key, Tree value) {
    value.pos = {};
    if (origin && own.count(std::string(key)) == 0) origin->keep(key, value);
    for (auto& slot : slots) {
      if (slot.key == key) {
        slot.value = std::move(value);
        return;
      }
    }
    slots.push_back({std::string(key), std::move(value), {}, false, {}});
  }

  /// @param where stands for the place of a mapping that is not there.
  std::shared_ptr<Impl> child(const Tree* value, const SourcePos& where, const std::string& child_path,
                              SchemaNode& node) {
    auto impl = std::make_shared<Impl>();
    if (value != nullptr) {
      if (!value->is_map()) fail_at(value->pos, child_path, "found " + shown(*value) + "; allowed: a mapping of keys");
      impl->tree = *value;
    } else {
      impl->tree = Tree::map();
      impl->tree.pos = where;
    }
    impl->path = child_path;
    impl->remarks = remarks;
    impl->label = label;
    impl->describing = describing;
    impl->root = root;
    impl->schema = &node;
    return impl;
  }

  static std::string shown(const Tree& value) {
    switch (value.kind) {
      case Tree::Kind::kNull:
        return "nothing";
      case Tree::Kind::kMap:
        return "a mapping";
      case Tree::Kind::kList:
        return "a list";
      default:
        return value.quoted ? "the text \"" + value.text + "\"" : "'" + value.text + "'";
    }
  }

  void finish() const {
    std::vector<std::string> names(known.begin(), known.end());
    for (const auto& entry : tree.entries) {
      if (known.count(entry.key) != 0) continue;
      const std::string allowed = names.empty() ? "no keys here" : join(names);
      throw Error(ErrorKind::kConfig, entry.key_pos.str() + ": " + key_path(entry.key) +
                                          ": found an unknown key; allowed: " + allowed +
                                          did_you_mean(entry.key, names));
    }
    for (const auto& slot : slots)
      for (const auto& below : slot.children) below->finish();
  }

  Tree trained() const;  // config_training.cpp

  Tree resolved() const {
    Tree out = Tree::map();
    for (const auto& slot : slots) {
      if (slot.value) {
        out.set(slot.key, *slot.value);
      } else if (slot.is_list) {
        Tree list = Tree::list();
        for (const auto& below : slot.children) list.items.push_back(below->resolved());
        out.set(slot.key, std::move(list));
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
};

}  // namespace lw
