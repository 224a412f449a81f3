// The state behind a config cursor, shared by the files that implement it.
#pragma once
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/base/config.h"

namespace lw {

/// Ends a section whose further reading would rest on what was refused.
struct SectionEnds {};

struct ConfigNode::Impl {
  struct Slot {  // one key that was read
    std::string key;
    std::optional<Tree> value;                    // scalars and lists of scalars
    std::vector<std::shared_ptr<Impl>> children;  // maps
    std::vector<std::string> names = {};          // of the children, when the user chose them
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

  /// What went wrong so far, for all cursors of one config.
  struct Errors {
    bool collected = false;  // else the first one is thrown
    std::vector<Problem> problems;
    size_t before_section = 0;  // how many there were when the innermost section began
    bool sound = true;          // of the innermost section

    bool section_has_any() const { return !sound || problems.size() > before_section; }
  };

  Tree tree;
  std::string path;
  std::shared_ptr<Remarks> remarks = std::make_shared<Remarks>();
  std::string label;                                  // the names that users chose on the way here: "global "
  std::optional<std::set<std::string>> reading = {};  // inside after_training(): the keys that are read
  bool describing = false;
  std::shared_ptr<SchemaNode> root;  // owns every schema node below
  SchemaNode* schema = nullptr;      // of this mapping; while a variant's options are read, of that branch
  std::vector<Slot> slots;
  std::set<std::string> known;
  std::string ignored_prefix;
  bool ignores_nulls = false;
  std::shared_ptr<Errors> errors = std::make_shared<Errors>();
  bool refused = false;    // a value of this mapping, or the mapping itself
  bool not_a_map = false;  // nothing is missing in it
  bool any_key = false;    // its variant is not known, or it was not read to the end
  // Of a cursor made by with():
  std::shared_ptr<Impl> origin;  // what is read here is read there, but for the keys of `own`
  std::set<std::string> own;
  std::string lent_key;
  std::shared_ptr<Impl> lent;  // stands under lent_key

  std::string key_path(std::string_view key) const;
  const Tree* find(std::string_view key) const;  // `key:` alone is absent
  static SourcePos place_of(const Tree::Entry& entry);
  SourcePos place(std::string_view key) const;
  static std::string shown(const Tree& value);

  /// Takes note of it, or throws it.
  void report(Problem problem) const;
  /// Of a value of this mapping; reading goes on with one that is allowed.
  void refuse(std::string_view key, const std::string& what) { refuse_at(place(key), key, what); }
  void refuse_at(const SourcePos& at, std::string_view key, const std::string& what);
  void refuse_absent(std::string_view key, const std::string& allowed);
  [[noreturn]] void fail(std::string_view key, const std::string& what) const;

  SchemaNode& note(std::string_view key, SchemaNode::Type type, const std::string& doc);
  void keep(std::string_view key, Tree value);
  /// @param where stands for the place of a mapping that is not there.
  std::shared_ptr<Impl> child(const Tree* value, const SourcePos& where, const std::string& child_path,
                              SchemaNode& node);
  /// This mapping, and those below it from its `first`-th slot on, may have keys that nobody came to read.
  void leave_unread(size_t first = 0);
  /// @param whole the schema of this mapping, or null.
  void find_unknown(const SchemaNode* whole, std::vector<Problem>& out) const;
  Tree resolved() const;
  Tree trained() const;  // config_training.cpp
};

}  // namespace lw
