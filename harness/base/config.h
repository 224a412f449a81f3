// A read cursor over one YAML mapping. Reading is the schema: a key that no code asked for is an
// error, and the JSON Schema for editors is what the same reading code says when it is asked to
// describe itself, so neither can drift from what the program accepts.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/schema.h"
#include "harness/base/tree.h"

namespace lw {

/// One of the words a key may take, with a line for schemas and lists.
struct Choice {
  std::string name;
  std::string summary;
};

class ConfigNode {
 public:
  /// A cursor over `tree`, which must be a map (or null: an empty one).
  explicit ConfigNode(const Tree& tree);
  static ConfigNode parse(const std::string& text, const std::string& name = "<string>");
  /// A cursor over nothing that answers every question with a value that is allowed, and takes note.
  static ConfigNode describing();

  // Forms without a fallback throw when the key is absent. `doc` says in one clause what the key is for.
  std::string str(std::string_view key, const std::string& doc);
  std::string str(std::string_view key, const std::string& fallback, const std::string& doc);
  int64_t integer(std::string_view key, Range<int64_t> allowed, const std::string& doc);
  int64_t integer(std::string_view key, int64_t fallback, Range<int64_t> allowed, const std::string& doc);
  double number(std::string_view key, Range<double> allowed, const std::string& doc);
  double number(std::string_view key, double fallback, Range<double> allowed, const std::string& doc);
  bool flag(std::string_view key, bool fallback, const std::string& doc);
  std::string choice(std::string_view key, const std::vector<Choice>& choices, std::string_view fallback,
                     const std::string& doc);
  // Absent stays absent: for values whose absence means something.
  std::optional<double> optional_number(std::string_view key, Range<double> allowed, const std::string& doc);
  std::optional<int64_t> optional_integer(std::string_view key, Range<int64_t> allowed, const std::string& doc);
  std::optional<std::string> optional_str(std::string_view key, const std::string& doc);
  std::vector<int64_t> integers(std::string_view key, const std::vector<int64_t>& fallback, Range<int64_t> allowed,
                                const std::string& doc);
  std::vector<double> numbers(std::string_view key, const std::vector<double>& fallback, Range<double> allowed,
                              const std::string& doc);
  std::vector<std::string> words(std::string_view key, const std::vector<std::string>& fallback,
                                 const std::string& doc);

  bool has(std::string_view key) const;
  /// The mapping below `key`; an empty one when absent. Asked for again, it is the same cursor.
  ConfigNode map(std::string_view key, const std::string& doc);
  /// Maps in a list below `key`; none when absent.
  std::vector<ConfigNode> maps(std::string_view key, const std::string& doc);
  /// Maps under names that the user chooses, below `key`; none when absent. When describing: one, named "*".
  std::vector<std::pair<std::string, ConfigNode>> named_maps(std::string_view key, const std::string& doc);
  /// Chooses one of `choices` under `key`, then calls read(index) for the options that only that choice
  /// has. When describing, read() is called for every choice. An empty fallback makes the key required.
  void variant(std::string_view key, const std::vector<Choice>& choices, std::string_view fallback,
               const std::string& doc, const std::function<void(size_t)>& read);
  /// A subtree that other code will read; it counts as read here.
  Tree take(std::string_view key, const std::string& doc, const SchemaNode& shape);

  /// This mapping as if `child` stood under `key` and the entries of `own` in place of this mapping's (null: as
  /// if absent), for readers that expect one arrangement of keys where files have several. Keys read through it
  /// count as read here; values of `own` are not kept here, and schemas note `child` alone.
  ConfigNode with(std::string_view key, const ConfigNode& child, const Tree& own) const;

  // What is put on a model after its training, as the code that reads it says. See config_training.cpp.
  /// Reads options that are put on after training. `read` returns what they add in words ("linear x8"), "" where
  /// there is nothing to say, or nothing where they are absent or shape the training after all.
  void after_training(const std::function<std::optional<std::string>()>& read);
  /// While a model is trained, `key`, read from this mapping, has another value (null: it is absent). @param added
  /// as above.
  void in_training(std::string_view key, const Tree& value, const std::string& added);
  /// What this mapping and those below put on after training, in words and in order of reading.
  std::vector<std::string> added_after_training() const;
  /// As resolved(), but as it holds while a model is trained; named maps in order of their names.
  Tree trained() const;

  /// Notes a value that is allowed but perhaps not meant. Whoever reads the config decides when to show it.
  void warn(std::string_view key, const std::string& message) const;
  std::vector<std::string> warnings() const;

  /// Fails at this key when `ok` is false; passes when describing.
  void require(bool ok, std::string_view key, const std::string& found_and_allowed) const;
  [[noreturn]] void fail(std::string_view key, const std::string& found_and_allowed) const;
  bool is_describing() const;

  /// Throws for the first key that was never read, here and below. Call once, at the end.
  void finish() const;
  /// What was read, defaults included.
  Tree resolved() const;
  /// What this mapping may hold.
  const SchemaNode& schema() const;
  /// "position.scaling", or "" at the top.
  std::string path() const;

 private:
  struct Impl;
  explicit ConfigNode(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

}  // namespace lw
